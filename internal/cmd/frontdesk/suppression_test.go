package main

import (
	"fmt"
	"net/mail"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/expect"
	"frontdesk/internal/local/ses"
	"frontdesk/internal/mail/mailkey"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// suppressedView is what suppression show prints as JSON, and what list prints of each address.
type suppressedView struct {
	Address, Reason string
	At              time.Time
	MailID          string `json:"mail_id"`
}

// mailTo sends a mail, waits until its events are recorded, and returns what the log shows of it.
func (o *shell) mailTo(address string) shownMail {
	o.Helper()
	sender := mail.Address{Address: "sender@example.com"}
	_, text := o.NewMailKey(o.T, mailkey.Key{Name: "test", Sender: sender})
	key := write(o.T, text)
	sent := printed[struct{ ID string }](o, "mail", "send", "--key-file", key, "--to", address, "--text", "Hello")
	if err := o.Lambda().Settle(o.Context()); err != nil {
		o.Fatal(err)
	}
	return printed[shownMail](o, "mail", "show", "--key-file", key, sent.ID)
}

// shownMail is what the tests need of mail show's JSON.
type shownMail struct {
	ID, Status string
	Recipients []struct{ Email, Status, Detail string }
}

// TestWhoBouncesIsSuppressed until an operator removes the address. Meanwhile SES sends nothing to it, and the mail
// log names this reason. Names under .invalid never exist (RFC 2606), so mail to them bounces. The case of the domain
// does not matter to find an address.
func TestWhoBouncesIsSuppressed(t *testing.T) {
	for address, c := range map[string]struct{ first, reason, detail string }{
		"ada@people.invalid": {"bounced", "bounce",
			"OnAccountSuppressionList: Amazon SES did not send the message to this address because"},
		"complaint@people.invalid": {"complained", "complaint", "OnAccountSuppressionList"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			o := onStack(t)
			first := o.mailTo(address)
			expect.Equal(t, "the first mail is", first.Status, c.first)

			listed := printed[[]suppressedView](o, "suppression", "list")
			expect.Len(t, "the list", listed, 1)
			expect.Equal(t, "its address", listed[0].Address, address)
			expect.Equal(t, "its reason", listed[0].Reason, c.reason)
			expect.AtMost(t, "its age", time.Since(listed[0].At), time.Hour)
			shown := printed[suppressedView](o, "suppression", "show", strings.Replace(address, "people", "PEOPLE", 1))
			expect.Equal(t, "the mail that is the cause", shown.MailID, first.ID)

			second := o.mailTo(address)
			expect.Equal(t, "the second mail is", second.Status, "suppressed")
			expect.Equal(t, "for its recipient it is", second.Recipients[0].Status, "suppressed")
			expect.HasPrefix(t, "the detail", second.Recipients[0].Detail, c.detail)

			removed := o.prints("suppression", "remove", "--yes", address)
			says := "removed " + address + ", which was there for a " + c.reason + " since "
			expect.HasPrefix(t, "what remove says", removed, says)
			expect.Equal(t, "the list then", o.prints("suppression", "list"), "ADDRESS  REASON  SINCE\n")
			third := o.mailTo(address)
			expect.Equal(t, "the third mail is", third.Status, c.first)
		})
	}
}

// TestTheSimulatorSuppressesNobody, as on AWS. Its addresses are for tests, which would otherwise work once.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
func TestTheSimulatorSuppressesNobody(t *testing.T) {
	o := onStack(t)
	for _, name := range []string{"bounce", "complaint"} {
		o.mailTo(name + "@simulator.amazonses.com")
	}
	expect.Len(t, "the list", printed[[]suppressedView](o, "suppression", "list"), 0)
}

// TestSuppressionOfMany: the command lists more addresses than SES does at once, and selects those of one reason. SES
// lists 1,000 addresses a page at most.
func TestSuppressionOfMany(t *testing.T) {
	o := onStack(t)
	const many = 1100
	for i := range many {
		reason := types.SuppressionListReasonBounce
		if i%11 == 0 {
			reason = types.SuppressionListReasonComplaint
		}
		s := ses.Suppressed{Address: fmt.Sprintf("a%04d@example.org", i), Reason: reason, At: time.Now()}
		if err := o.Account().SES.Suppressed.Put(s); err != nil {
			t.Fatal(err)
		}
	}
	expect.Len(t, "all", printed[[]suppressedView](o, "suppression", "list"), many)
	expect.Len(t, "complaints", printed[[]suppressedView](o, "suppression", "list", "--reason", "complaint"), many/11)
}

// TestSuppressionThatFails: an address that is not on the list is an error that says where it looked.
func TestSuppressionThatFails(t *testing.T) {
	o := onStack(t)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an address that is not there": {
			[]string{"show", "ada@example.org"}, "ada@example.org is not on the suppression list in us-east-1",
		},
		"one to be removed": {
			[]string{"remove", "ada@example.org"}, "ada@example.org is not on the suppression list in us-east-1",
		},
		"what is no address": {[]string{"show", "ada"}, `"ada" is not a valid e-mail address`},
		"another reason":     {[]string{"list", "--reason", "x"}, "must be one of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := o.frontdesk(append([]string{"suppression"}, c.args...)...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}
