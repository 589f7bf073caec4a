package delivery

import (
	"context"
	"fmt"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Forget rewrites the answer that a record keeps, which may have an address, such as where a mail was redirected. It
// tells whether that changed anything. What else a record has of a mail is digests of the whole of it.
func Forget(ctx context.Context, t table.Table, item dynamo.Item, rewrite func(string) string) (bool, error) {
	var stored record
	if err := table.Decode(item, &stored); err != nil {
		return false, err
	}
	answer := rewrite(stored.Answer)
	if answer == stored.Answer {
		return false, nil
	}
	err := t.UpdateItem(stored.Key).Set("answer", answer).If("answer = ?", stored.Answer).Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) { // a final answer never changes, but its record ends
		return false, fmt.Errorf("forget in an answer: %w", err)
	}
	return true, nil
}
