package mail

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// authenticate finds the good mail key of a request and, in the same read, what earlier requests with its
// Idempotency-Key have left. Whatever is wrong with the mail key, the error is the same one, of kind
// [api.Unauthorized].
func (s *Service) authenticate(ctx context.Context, q *request) (*delivery.Attempt, error) {
	idempotencyKey, malformed := readIdempotencyKey(q.Request)
	credential, err := mailkey.Parse(q.fields.Credential("key"))
	if err != nil {
		return nil, err
	}
	keyAt, recordAt := table.MailKey(credential.ID), delivery.RecordKey(credential.ID, idempotencyKey)
	items, err := s.Attempts.Table.Read(ctx, keyAt, recordAt)
	if err != nil {
		return nil, err
	}
	key, err := mailkey.Verify(credential, items)
	if err != nil {
		return nil, err
	}
	attempt, err := s.Attempts.New(q.start, key, idempotencyKey, items)
	if err = cmp.Or(err, malformed); err != nil {
		return nil, err
	}
	q.Log(slog.Int64("mail_key", int64(key.ID)))
	return attempt, nil
}

// maxIdempotencyKey is the length of the header's value in bytes.
const maxIdempotencyKey = 256

// readIdempotencyKey is the value of the header, which is a client's own name for a mail; "" without the header.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
func readIdempotencyKey(r *api.Request) (string, error) {
	key, given := r.Headers["idempotency-key"]
	if !given {
		return "", nil
	}
	invisible := func(c rune) bool { return c <= ' ' || c > '~' }
	if key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, invisible) {
		return "", api.Errorf(api.Malformed,
			"the header Idempotency-Key must have 1 to %d characters, all of them visible ASCII", maxIdempotencyKey)
	}
	return key, nil
}
