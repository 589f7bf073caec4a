package mail

import (
	"strings"

	"frontdesk/internal/api"
)

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
