package mail

import (
	"fmt"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/compose"
)

// Limits of the addresses of a mail.
const (
	// MaxRecipients counts To, Cc and Bcc together. SES takes 50 in one call, and is called for each 50.
	MaxRecipients = 1000
	// MaxReplyTo is the number of addresses that answers may go to. It is ours: SES documents none.
	MaxReplyTo = 50
)

func (m *Mail) checkRecipients(f *faults) {
	if len(m.Recipients) == 0 {
		f.add("recipients", "must name at least one recipient")
	}
	if n := len(m.Recipients) + len(m.CCs) + len(m.BCCs); n > MaxRecipients {
		f.add("recipients", "are too many: recipients, ccs and bccs are %d together; at most %d are allowed",
			n, MaxRecipients)
		return
	}
	checkMailboxes(f, "recipients", m.Recipients)
	checkMailboxes(f, "ccs", m.CCs)
	checkMailboxes(f, "bccs", m.BCCs)
	if m.Sender != nil {
		checkMailbox(f, "sender", m.Sender)
	}
}

// checkReplyTo holds the addresses for answers against the rules for recipients. Whose they are does not matter:
// nothing is sent to them, and SES does not verify them.
func (m *Mail) checkReplyTo(f *faults) {
	if n := len(m.ReplyTo); n > MaxReplyTo {
		f.add("replyto", "are too many: %d; at most %d are allowed", n, MaxReplyTo)
		return
	}
	checkMailboxes(f, "replyto", m.ReplyTo)
}

func checkMailboxes(f *faults, field string, list []compose.Mailbox) {
	for i := range list {
		checkMailbox(f, fmt.Sprintf("%s[%d]", field, i), &list[i])
	}
}

// checkMailbox holds a mailbox against the rules, and brings its address into the form that it has in headers and in
// the envelope.
func checkMailbox(f *faults, field string, box *compose.Mailbox) {
	var err error
	box.Address, err = address.Parse(box.Address)
	f.check(field+".email", err)
	f.check(field+".name", compose.CheckValue(box.Name))
}
