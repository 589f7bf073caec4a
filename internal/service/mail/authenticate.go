package mail

import (
	"cmp"
	"context"
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
)

// authenticate verifies the mail key. The same read returns what earlier requests with this Idempotency-Key have left,
// so both take one round trip. The key comes back with the redirect that applies: the stack's, else its own.
//
// Every fault of a mail key gives the same error, of kind [api.Unauthorized], so that nobody can probe for keys. A
// malformed Idempotency-Key is reported only after that.
func (s *Service) authenticate(ctx context.Context, r *api.Request, fields *api.Object, body []byte) (
	mailkey.Key, delivery.EarlierRequests, error,
) {
	idempotencyKey, malformed := readIdempotencyKey(r)
	credential, err := mailkey.Parse(fields.Credential("key"))
	if err != nil {
		return mailkey.Key{}, delivery.EarlierRequests{}, err
	}
	keyAt, recordAt := table.MailKey(credential.ID), delivery.RecordKey(credential.ID, idempotencyKey)
	items, err := s.Delivery.Table.Read(ctx, keyAt, recordAt)
	if err != nil {
		return mailkey.Key{}, delivery.EarlierRequests{}, err
	}
	key, err := mailkey.Verify(credential, items)
	if err != nil || malformed != nil {
		return mailkey.Key{}, delivery.EarlierRequests{}, cmp.Or(err, malformed)
	}
	r.Log(slog.Int64("mail_key", int64(key.ID)))
	if s.Redirect.To != "" {
		key.Redirect = s.Redirect
	}
	earlier, err := delivery.ReadEarlierRequests(items, recordAt, body)
	return key, earlier, err
}
