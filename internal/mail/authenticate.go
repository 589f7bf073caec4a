package mail

import (
	"context"

	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// authenticate finds the good mail key that a text is and, in the same read, the record of the requests before with an
// idempotency key, if it is not "" and there is one. Whatever is wrong with the text, the error is the same one, of
// code [api.Unauthorized].
func (s *Service) authenticate(ctx context.Context, text, idempotencyKey string) (mailkey.Key, *record, error) {
	c, err := mailkey.Parse(text)
	if err != nil {
		return mailkey.Key{}, nil, err
	}
	recordAt := table.Key{}
	if idempotencyKey != "" {
		recordAt = recordKey(c.ID, idempotencyKey)
	}
	items, err := s.Keys.Table.Read(ctx, table.MailKey(c.ID), recordAt)
	if err != nil {
		return mailkey.Key{}, nil, err
	}
	key, err := mailkey.Verify(c, items)
	if err != nil {
		return mailkey.Key{}, nil, err
	}
	var before record
	found, err := items.Get(recordAt, &before)
	if !found {
		return key, nil, err
	}
	return key, &before, err
}
