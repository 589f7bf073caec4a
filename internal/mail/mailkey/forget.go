package mailkey

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// ForgetIn deletes addresses from the settings of a revoked mail key: its senders and its redirect. A valid key keeps
// them, because without its redirect it would write to everybody. It reports whether anything changed.
func ForgetIn(
	ctx context.Context, t table.Table, item dynamo.Item, has func(text string) bool,
) (changed bool, err error) {
	var stored keyItem
	if err := table.Decode(item, &stored); err != nil {
		return false, err
	}
	mentioned := has(stored.Sender) || has(stored.Redirect) || slices.ContainsFunc(stored.From, has)
	if !mentioned || stored.RevokedAt.IsZero() {
		return false, nil
	}
	update := t.UpdateItem(stored.Key).Set("from", slices.DeleteFunc(stored.From, has)).If("attribute_exists(PK)")
	if has(stored.Sender) {
		update.Remove("sender")
	}
	if has(stored.Redirect) { // a revoked key sends nothing, so it needs none
		update.Remove("redirect", "redirect_allow")
	}
	if err := update.Run(ctx); err != nil && !dynamo.IsCondCheckFailed(err) {
		return false, fmt.Errorf("forget in mail key %d: %w", stored.ID, err)
	}
	return true, nil
}
