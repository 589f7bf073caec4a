// Package suppression has the commands about addresses to which SES does not send, because they have bounced or
// complained. SES keeps one list for the whole account in a region.
//
// SES puts an address on it after a hard bounce or a complaint. It takes a mail to such an address without an error,
// and does not send it, which protects the account's reputation.
// https://docs.aws.amazon.com/ses/latest/dg/sending-email-suppression-list.html
package suppression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// Commands are the commands about suppressed addresses.
type Commands struct {
	Suppression group `cmd:"" help:"Addresses to which SES does not send." example:"frontdesk --stack frontdesk suppression show ada@example.org"`
}

// group has the commands of frontdesk suppression. No command adds an address: SES does that by itself.
type group struct {
	List   listCommand   `cmd:"" help:"List the addresses of the account's suppression list, with reason and date." example:"frontdesk --stack frontdesk suppression list --reason bounce"`
	Show   showCommand   `cmd:"" help:"Show why and since when an address is on the list." example:"frontdesk --stack frontdesk suppression show ada@example.org"`
	Remove removeCommand `cmd:"" help:"Take an address off the list: SES sends to it again." example:"frontdesk --stack frontdesk suppression remove ada@example.org"`
}

// suppressed is an address of the list, as the tool prints it.
type suppressed struct {
	Address string    `json:"address" show:"address"`
	Reason  string    `json:"reason" show:"reason"` // bounce or complaint
	At      time.Time `json:"at" show:"since,day"`
	// MailID is the mail that bounced or was complained of, if SES tells it.
	MailID string `json:"mail_id,omitempty" show:"mail,row"`
}

// newSuppressed converts an entry. SES writes reasons in upper case, the tool in lower case.
func newSuppressed(emailAddress *string, reason types.SuppressionListReason, at *time.Time) suppressed {
	return suppressed{
		Address: aws.ToString(emailAddress), Reason: strings.ToLower(string(reason)), At: aws.ToTime(at).UTC(),
	}
}

// list is SES's suppression list of an account in a region.
type list struct {
	ses    *sesv2.Client
	region string
}

// open returns the list in the region of the target's configuration. It makes no call.
func open(ctx context.Context, stack *target.Target) (list, error) {
	cfg, err := stack.Config(ctx)
	return list{sesv2.NewFromConfig(cfg), cfg.Region}, err
}

// explain returns the error of a failed call; it may mean that an address is not on the list. The region is in every
// message: an address may be on the list in one region and not in another, and the wrong region is the usual mistake.
func (l list) explain(address string, err error) error {
	if _, ok := errors.AsType[*types.NotFoundException](err); ok {
		return fmt.Errorf("%s is not on the suppression list in %s", address, l.region)
	}
	return target.ExplainAt("suppression list in "+l.region, err)
}

// get reads one entry. SES gives the id of the mail only here, not in its list.
func (l list) get(ctx context.Context, address string) (suppressed, error) {
	out, err := l.ses.GetSuppressedDestination(ctx, &sesv2.GetSuppressedDestinationInput{EmailAddress: &address})
	if err != nil {
		return suppressed{}, l.explain(address, err)
	}
	d := out.SuppressedDestination
	s := newSuppressed(d.EmailAddress, d.Reason, d.LastUpdateTime)
	if d.Attributes != nil {
		s.MailID = aws.ToString(d.Attributes.MessageId)
	}
	return s, nil
}

// listCommand is frontdesk suppression list. SES itself filters by the reason, so less is read.
type listCommand struct {
	Reason string `enum:"bounce,complaint," default:"" placeholder:"REASON" help:"Only those: bounce or complaint."`
}

// Run reads all pages of SES's list before it prints: an account may have thousands of addresses.
func (c listCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	l, err := open(ctx, stack)
	if err != nil {
		return err
	}
	var in sesv2.ListSuppressedDestinationsInput
	if c.Reason != "" {
		in.Reasons = []types.SuppressionListReason{types.SuppressionListReason(strings.ToUpper(c.Reason))}
	}
	all := []suppressed{}
	pages := sesv2.NewListSuppressedDestinationsPaginator(l.ses, &in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return l.explain("", err)
		}
		for _, d := range page.SuppressedDestinationSummaries {
			all = append(all, newSuppressed(d.EmailAddress, d.Reason, d.LastUpdateTime))
		}
	}
	return out.Show(all)
}

// addressArg is the address that a command is for.
type addressArg struct {
	Address string `arg:"" help:"The address, without a name."`
}

// AfterApply parses the address.
func (a *addressArg) AfterApply() error {
	parsed, err := address.Parse(a.Address)
	if err != nil {
		return commandline.Usage("%s", err)
	}
	a.Address = parsed
	return nil
}

// find returns the list, and its entry for the address.
func (a addressArg) find(ctx context.Context, stack *target.Target) (list, suppressed, error) {
	l, err := open(ctx, stack)
	if err != nil {
		return l, suppressed{}, err
	}
	s, err := l.get(ctx, a.Address)
	return l, s, err
}

// showCommand is frontdesk suppression show. Unlike list it knows the mail that bounced, if SES still does.
type showCommand struct{ addressArg }

// Run fails if the address is not on the list, so a script learns it from the exit status.
func (c showCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	_, s, err := c.find(ctx, stack)
	if err != nil {
		return err
	}
	return out.Show(s)
}

// removeCommand is frontdesk suppression remove, for an address that works again or whose owner wants mails again.
type removeCommand struct {
	addressArg
	commandline.Asking
}

// Run prints the entry that was on the list, so that its reason can be looked up later. The question comes after the
// look, so nobody is asked about an address that is not there. Another bounce puts the address on the list again.
func (c removeCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	l, s, err := c.find(ctx, stack)
	if err != nil {
		return err
	}
	if err := c.Confirm(ctx, out, "let SES send to %s again?", s.Address); err != nil {
		return err
	}
	_, err = l.ses.DeleteSuppressedDestination(ctx, &sesv2.DeleteSuppressedDestinationInput{EmailAddress: &c.Address})
	if err != nil {
		return l.explain(c.Address, err)
	}
	return out.Report(s, "removed %s, which was there for a %s since %s",
		s.Address, s.Reason, s.At.Format(time.DateOnly))
}
