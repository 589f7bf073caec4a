package mail

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
)

// accept decodes the mail of a request to the API at an address and holds it against every rule: nothing is fetched
// before that. Warnings tell of unknown fields.
func (s *Service) accept(fields *api.Object, key mailkey.Key, base string) (m *Mail, warnings []string, err error) {
	m, err = decodeMail(fields)
	if err != nil {
		return nil, nil, err
	}
	err = s.check(m, key)
	if err == nil {
		err = m.offer(key, base)
	}
	return m, fields.Warnings(ourName), err
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
