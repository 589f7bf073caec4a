package mail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/placeholder"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/mail/unsubscribe"
)

// addressPlaceholder is the name of the placeholder that becomes the address by which a recipient unsubscribes.
const addressPlaceholder = "UNSUBSCRIBE"

// The header fields by which a mailbox offers to unsubscribe (RFC 2369 section 3.2, RFC 8058 section 3.1), and which
// tell lists apart (RFC 2919). SES's signature covers them.
// https://docs.aws.amazon.com/ses/latest/dg/sending-email-subscription-management.html
const (
	listUnsubscribe     = "List-Unsubscribe"
	listUnsubscribePost = "List-Unsubscribe-Post"
	listID              = "List-Id"
)

func (m *Mail) checkUnsubscribe(f *faults) {
	if m.List != "" {
		f.check("list", unsubscribe.CheckList(m.List))
	}
	if !m.on(Unsubscribe) {
		if m.List != "" {
			f.add("list", "is for mails with unsubscribe in config alone")
		}
		return
	}
	if !m.on(Separate) {
		f.add("config", "has unsubscribe without separate: each recipient has an address of his own")
	}
	for name := range m.Headers {
		if m.writes(name) {
			f.add("headers."+name, "must not be given with unsubscribe in config, which writes it")
		}
	}
	if m.on(SubjectPlaceholders) {
		address := map[string]bool{addressPlaceholder: true}
		if placeholder.Parse(m.Subject, address).Used[addressPlaceholder] {
			f.add("subject", "must not have {%s}: SES's events, the log of mails and every answer repeat a subject",
				addressPlaceholder)
		}
	}
	m.checkAddressPlaceholder(f, "", m.Placeholders)
	for i, own := range m.Own {
		m.checkAddressPlaceholder(f, fmt.Sprintf("recipients[%d].", i), own)
	}
}

// writes reports whether a header field is one that the switch writes.
func (m *Mail) writes(name string) bool {
	return strings.EqualFold(name, listUnsubscribe) || strings.EqualFold(name, listUnsubscribePost) ||
		m.List != "" && strings.EqualFold(name, listID)
}

func (m *Mail) checkAddressPlaceholder(f *faults, of string, list []Placeholder) {
	for i, p := range list {
		if p.Name == addressPlaceholder {
			f.add(fmt.Sprintf("%splaceholders[%d].name", of, i),
				"must not be %[1]s with unsubscribe in config: {%[1]s} is the address", addressPlaceholder)
		}
	}
}

// errNoSecret is for a mail key that is older than the switch.
var errNoSecret = rejection.Errorf(rejection.Invalid, "config has unsubscribe, and the mail key was made before there "+
	"was that switch: make a new key, and send with it")

// offer gives each recipient of a mail with the switch the address by which he unsubscribes from what a key sends, as a
// placeholder of his own. Where his mail goes to somebody else, the address unsubscribes nobody.
func (m *Mail) offer(key mailkey.Key, base string) error {
	if !m.on(Unsubscribe) {
		return nil
	}
	if key.Secret == nil {
		return errNoSecret
	}
	sealer, err := unsubscribe.NewSealer(key.ID, key.Secret)
	if err != nil {
		return err
	}
	for i, to := range m.Recipients {
		token := unsubscribe.Redirected
		if !key.Redirect.Redirects(to.Address) {
			token = sealer.Seal(m.List, strings.ToLower(to.Address))
		}
		address := base + unsubscribe.Path + token
		m.Addresses = append(m.Addresses, address)
		m.Own[i] = append(m.Own[i], Placeholder{addressPlaceholder, address})
	}
	return nil
}

// base is the address of the API: that of its own domain, else the one at which AWS runs it. On the local stack that
// has a port, and is reached without TLS; on AWS it never has one. No header is believed, because whoever sends a
// request writes them.
func (s *Service) base(r *api.Request) string {
	if s.Domain != "" {
		return "https://" + s.Domain
	}
	host := r.RequestContext.DomainName
	if strings.Contains(host, ":") || host == "localhost" {
		return "http://" + host
	}
	return "https://" + host
}

// unsubscribed finds those recipients of a mail with the switch who have unsubscribed, by their indices.
func (s *Service) unsubscribed(ctx context.Context, m *Mail, key mailkey.Key) ([]int, error) {
	if !m.on(Unsubscribe) {
		return nil, nil
	}
	store := unsubscribe.Store{Table: s.Attempts.Table}
	return store.Among(ctx, key, m.List, addresses(m.Recipients))
}

// logLeftOut puts those recipients of a mail into the log whom this request has left out.
func (s *Service) logLeftOut(
	ctx context.Context, r *api.Request, start time.Time, m *Mail, key mailkey.Key, o delivery.Outcome,
) {
	if s.Log == nil || len(o.LeftOutNow) == 0 {
		return
	}
	var recipients []string
	for _, i := range o.LeftOutNow {
		recipients = append(recipients, m.Recipients[i].Address)
	}
	from := m.Sender.Address
	if m.Sender.Name != "" {
		from = m.Sender.Name + " <" + from + ">"
	}
	if err := s.Log.LeaveOut(ctx, key.ID, start, from, m.Subject, recipients); err != nil {
		r.Fault(fmt.Errorf("log who is left out: %w", err))
	}
}

// letterFields are the header fields of a recipient's own message. A mail with the switch says in them how he
// unsubscribes.
func (m *Mail) letterFields(recipient int) []compose.Field {
	fields := m.fields()
	if !m.on(Unsubscribe) {
		return fields
	}
	fields = append(fields, compose.Field{Name: listUnsubscribePost, Value: "List-Unsubscribe=One-Click"})
	if m.List != "" {
		domain := m.Sender.Address[strings.LastIndexByte(m.Sender.Address, '@')+1:]
		fields = append(fields, compose.Field{Name: listID, Value: "<" + m.List + "." + domain + ">"})
	}
	return append(fields, compose.Field{Name: listUnsubscribe, Value: "<" + m.Addresses[recipient] + ">"})
}
