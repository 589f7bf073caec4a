package delivery

import (
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
)

// Kinds declares idempotency records. The key of one follows from an Idempotency-Key that the record does not store, so
// it is not checked. The answer may have the address that a mail was redirected to; the rest is digests. A record stays
// when its answer forgets: a request with its Idempotency-Key gets this answer, and sends nothing. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{{
		Name:    table.Idempotency(0, credential.Digest{}).Kind(),
		Read:    table.DecodeAs[record](nil, nil),
		Privacy: table.Privacy{Forget: table.ForgetIn("answer")},
	}}
}
