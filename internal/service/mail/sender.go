package mail

import (
	"net/mail"

	"frontdesk/internal/base/address"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
)

// sender chooses whom a mail is from: the sender that it names, else the key's, else the service's. The key must allow
// it. The key's own sender was checked when the key was made.
func (s *Service) sender(m *Mail, key mailkey.Key) (compose.Mailbox, error) {
	switch {
	case m.Sender != nil:
		if !key.Allows(m.Sender.Address) {
			return compose.Mailbox{}, delivery.Rejectf(SenderNotAllowed,
				"sender.email %q is not one that this key may send as; it may send as %s",
				m.Sender.Address, list(key.From))
		}
		return *m.Sender, nil
	case key.Sender.Address != "":
		return mailbox(key.Sender), nil
	case s.DefaultSender.Address != "":
		from := mailbox(s.DefaultSender)
		if !key.Allows(from.Address) {
			return compose.Mailbox{}, delivery.Rejectf(SenderNotAllowed,
				"sender is missing, and the service's default one is not one that this key may send as; "+
					"it may send as %s", list(key.From))
		}
		return from, nil
	}
	return compose.Mailbox{}, delivery.Rejectf(Invalid, "sender is missing, "+
		"and neither the key nor the service has a default one")
}

// mailbox converts a configured sender. Its address was checked when it was configured, so Parse cannot fail here.
func mailbox(sender mail.Address) compose.Mailbox {
	normal, _ := address.Parse(sender.Address)
	return compose.Mailbox{Name: sender.Name, Address: normal}
}
