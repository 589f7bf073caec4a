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
func (s *Service) authenticate(ctx context.Context, r *api.Request, fields *api.Object) (
	mailkey.Key, delivery.Earlier, error,
) {
	idempotencyKey, malformed := readIdempotencyKey(r)
	credential, err := mailkey.Parse(fields.Credential("key"))
	if err != nil {
		return mailkey.Key{}, delivery.Earlier{}, err
	}
	keyAt, recordAt := table.MailKey(credential.ID), delivery.RecordKey(credential.ID, idempotencyKey)
	items, err := s.Attempts.Table.Read(ctx, keyAt, recordAt)
	if err != nil {
		return mailkey.Key{}, delivery.Earlier{}, err
	}
	key, err := mailkey.Verify(credential, items)
	if err != nil || malformed != nil {
		return mailkey.Key{}, delivery.Earlier{}, cmp.Or(err, malformed)
	}
	r.Log(slog.Int64("mail_key", int64(key.ID)))
	earlier, err := delivery.ReadEarlier(items, recordAt)
	return key, earlier, err
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
