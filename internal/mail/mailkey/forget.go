package mailkey

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// ForgetIn takes addresses out of what a mail key is set to: what it sends as, and where its mails are redirected. A
// key that is in use keeps them, because without its redirect it would write to everybody. It tells whether anything
// was changed.
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
	if has(stored.Redirect) { // of no use in a revoked key
		update.Remove("redirect", "redirect_allow")
	}
	if err := update.Run(ctx); err != nil && !dynamo.IsCondCheckFailed(err) {
		return false, fmt.Errorf("forget in mail key %d: %w", stored.ID, err)
	}
	return true, nil
}
