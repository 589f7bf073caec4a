package delivery

import (
	"context"
	"fmt"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Forget applies rewrite to the answer in a record. An answer may contain an address, such as the one that a mail was
// redirected to. Forget reports whether this changed anything. The rest of a record needs no rewriting: of the mail
// it has only digests.
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
	if err != nil && !dynamo.IsCondCheckFailed(err) { // a final answer never changes, but its record may expire
		return false, fmt.Errorf("forget in an answer: %w", err)
	}
	return true, nil
}
