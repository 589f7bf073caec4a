package mail

import (
	"strings"

	"frontdesk/internal/base/api"
)

// maxIdempotencyKey is the greatest length of the header's value, in bytes. Only a digest is stored.
const maxIdempotencyKey = 256

// readIdempotencyKey returns the value of the Idempotency-Key header, which is the client's own name for a mail.
// Without the header it is "". A header that is there and empty is an error: the client meant to send a name.
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
