package delivery

import (
	"context"
	"fmt"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// Kinds declares idempotency records. The key of one follows from an Idempotency-Key that the record does not store, so
// it is not checked. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{{
		Name:    table.Idempotency(0, credential.Digest{}).Kind(),
		Read:    table.DecodeAs[record](nil, nil),
		Privacy: table.Privacy{Forget: forget},
	}}
}

// forget takes an address out of the answer in a record, which may have the one that a mail was redirected to. The
// record stays: a request with its Idempotency-Key gets this answer, and sends nothing. The rest of a record
// is digests.
func forget(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	if s.Damage != "" {
		return false, nil
	}
	stored := s.Content.(record)
	if !p.NamedIn(stored.Answer) {
		return false, nil
	}
	err = t.UpdateItem(stored.Key).Set("answer", p.Redact(stored.Answer)).If("answer = ?", stored.Answer).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) { // a final answer never changes, but its record may expire
		return false, fmt.Errorf("forget in an answer: %w", err)
	}
	return true, nil
}
