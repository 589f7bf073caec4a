package mail

import (
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
)

// envelope returns what SES gets beside the message. LeftOut has the indices of the recipients who have unsubscribed.
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

// addresses returns the bare addresses of mailboxes, without their names.
func addresses(boxes []compose.Mailbox) []string {
	list := make([]string, len(boxes))
	for i, b := range boxes {
		list[i] = b.Address
	}
	return list
}
