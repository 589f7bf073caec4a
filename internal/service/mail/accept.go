package mail

import (
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/mailkey"
)

// accept decodes the mail of a request and checks every rule. Nothing is downloaded before that. Base is the address
// of the API, for the unsubscribe links. Warnings name the unknown fields, and header fields that do nothing; they come
// with the error of a rule, too.
func (s *Service) accept(fields *api.Object, key mailkey.Key, base string) (m *Mail, warnings []string, err error) {
	m, err = decodeMail(fields)
	if err != nil {
		return nil, nil, err
	}
	err = s.check(m, key)
	if err == nil {
		err = m.addUnsubscribeLinks(key, base)
	}
	return m, slices.Concat(fields.Warnings(ourName), m.idWarnings(), m.unsubscribeWarnings(base)), err
}

// check checks every rule, then sets the sender. The sender comes last because it depends on the mail key, and one
// answer lists the faults of the mail itself together.
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
