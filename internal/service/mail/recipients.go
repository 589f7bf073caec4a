package mail

import (
	"errors"
	"fmt"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
)

// Limits of the addresses of a mail.
const (
	// MaxRecipients bounds To, Cc and Bcc together. SES takes 50 in one call, so such a mail needs 20 calls.
	MaxRecipients = 1000
	// MaxReplyTo bounds the addresses in Reply-To. The limit is ours: SES documents none.
	MaxReplyTo = 50
)

// checkRecipients returns the number of recipients whose address is bad: an error with no other faults has a code of
// its own.
func (m *Mail) checkRecipients(f *api.Faults) (bad int) {
	if len(m.Recipients) == 0 {
		f.AddTo("recipients", "must name at least one recipient")
	}
	if n := len(m.Recipients) + len(m.CCs) + len(m.BCCs); n > MaxRecipients {
		f.AddTo("recipients", "are too many: recipients, ccs and bccs are %d together; at most %d are allowed",
			n, MaxRecipients)
		return 0
	}
	bad = checkMailboxes(f, "recipients", m.Recipients) + checkMailboxes(f, "ccs", m.CCs) +
		checkMailboxes(f, "bccs", m.BCCs)
	if m.Sender != nil {
		checkMailbox(f, "sender", "", m.Sender)
	}
	return bad
}

// checkReplyTo checks the form of the addresses alone. Any domain may be there: nothing is sent to them, and SES does
// not verify them.
func (m *Mail) checkReplyTo(f *api.Faults) {
	if n := len(m.ReplyTo); n > MaxReplyTo {
		f.AddTo("replyto", "are too many: %d; at most %d are allowed", n, MaxReplyTo)
		return
	}
	checkMailboxes(f, "replyto", m.ReplyTo)
}

// checkMailboxes checks a list of mailboxes and counts the bad addresses.
func checkMailboxes(f *api.Faults, field string, list []compose.Mailbox) (bad int) {
	const others = ", and each of the others in an object of its own"
	for i := range list {
		if !checkMailbox(f, fmt.Sprintf("%s[%d]", field, i), others, &list[i]) {
			bad++
		}
	}
	return bad
}

// checkMailbox checks a mailbox and normalizes its address for headers and envelope. It reports whether the address
// is good. Others says where further addresses go, if there is a place for them.
func checkMailbox(f *api.Faults, field, others string, box *compose.Mailbox) bool {
	parsed, err := address.Parse(box.Address)
	surplus, ok := errors.AsType[*address.Surplus](err)
	switch {
	case ok && surplus.Name != "":
		f.AddTo(field+".email", "%s, and %q as %s.name", err, surplus.Name, field)
	case errors.Is(err, address.ErrSeveral):
		f.AddTo(field+".email", "%s%s", err, others)
	default:
		f.Check(field+".email", err)
	}
	box.Address = parsed
	f.Check(field+".name", compose.CheckValue(box.Name))
	return err == nil
}
