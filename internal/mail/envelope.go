package mail

import (
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
)

// envelope is what SES is told of the mail beside its message, sent by a key of a stack. LeftOut are the recipients who
// are not sent it.
func (m *Mail) envelope(key mailkey.Key, stack string, leftOut []int) delivery.Envelope {
	return delivery.Envelope{
		From:     m.Sender.Address,
		To:       addresses(m.Recipients),
		Cc:       addresses(m.CCs),
		Bcc:      addresses(m.BCCs),
		Tags:     m.tagsOf(key, stack),
		Separate: m.on(Separate),
		LeftOut:  leftOut,
		Redirect: key.Redirect,
	}
}

func addresses(boxes []compose.Mailbox) []string {
	list := make([]string, len(boxes))
	for i, b := range boxes {
		list[i] = b.Address
	}
	return list
}
