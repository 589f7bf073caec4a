package mail

import (
	"net/mail"

	"frontdesk/internal/address"
	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
)

// accept decodes the mail of a request and holds it against every rule: nothing is fetched before that. Warnings tell
// of unknown fields.
func (s *Service) accept(fields *api.Object, key mailkey.Key) (m *Mail, warnings []string, err error) {
	m, err = decodeMail(fields)
	if err != nil {
		return nil, nil, err
	}
	return m, unknownFields(fields), s.check(m, key)
}

// check holds a mail against every rule, and decides whom it is from.
func (s *Service) check(m *Mail, key mailkey.Key) error {
	if err := m.check(); err != nil {
		return err
	}
	from, err := s.sender(m, key)
	if err != nil {
		return err
	}
	m.Sender = &from
	return nil
}

// sender is whom a mail is from: the sender that it names, else its key's, else the service's. It must be one that the
// key allows; the key's own was held against that when the key was made.
func (s *Service) sender(m *Mail, key mailkey.Key) (compose.Mailbox, error) {
	switch {
	case m.Sender != nil:
		if !key.Allows(m.Sender.Address) {
			return compose.Mailbox{}, rejection.Errorf(rejection.SenderNotAllowed,
				"sender.email %q is not one that this key may send as; it may send as %s",
				m.Sender.Address, list(key.From))
		}
		return *m.Sender, nil
	case key.Sender.Address != "":
		return mailbox(key.Sender), nil
	case s.DefaultSender.Address != "":
		from := mailbox(s.DefaultSender)
		if !key.Allows(from.Address) {
			return compose.Mailbox{}, rejection.Errorf(rejection.SenderNotAllowed,
				"sender is missing, and the service's default one is not one that this key may send as; "+
					"it may send as %s", list(key.From))
		}
		return from, nil
	}
	return compose.Mailbox{}, rejection.Errorf(rejection.Invalid, "sender is missing, "+
		"and neither the key nor the service has a default one")
}

// mailbox is a configured sender as headers and the envelope have it. Its address was checked when it was configured.
func mailbox(sender mail.Address) compose.Mailbox {
	normal, _ := address.Parse(sender.Address)
	return compose.Mailbox{Name: sender.Name, Address: normal}
}

// envelope is what SES is told of the mail beside its message, sent by a key.
func (m *Mail) envelope(key mailkey.Key) delivery.Envelope {
	return delivery.Envelope{
		From:     m.Sender.Address,
		To:       addresses(m.Recipients),
		Cc:       addresses(m.CCs),
		Bcc:      addresses(m.BCCs),
		Tags:     m.tagsOf(key),
		Separate: m.on(Separate),
	}
}

func addresses(boxes []compose.Mailbox) []string {
	list := make([]string, len(boxes))
	for i, b := range boxes {
		list[i] = b.Address
	}
	return list
}
