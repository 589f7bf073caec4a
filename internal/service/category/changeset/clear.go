package changeset

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"

	"frontdesk/internal/base/table"
)

// Count counts the categories of a portal. DynamoDB charges as much as for reading them.
func Count(ctx context.Context, t table.Table, p table.Portal) (int, error) {
	return t.Count(ctx, p.Categories(), table.Records, table.Records+"~")
}

// Clear deletes all categories of a portal, and counts them. Nobody may create categories there any more. An
// interrupted Clear must be repeated; until then the table is not whole. require adds to each transaction the condition
// that it depends on, as one operation.
//
// The records go first. Every change of a category depends on its record, so once the records are gone nothing is added
// to the other items. Queries may miss what a transaction under way has just written. So Clear ends when each kind of
// item was empty twice, with settle in between.
func Clear(
	ctx context.Context, t table.Table, p table.Portal, require func(*table.Tx), settle func(context.Context) error,
) (categories int, err error) {
	for empty := false; ; {
		all := 0
		for _, kind := range []string{table.Records, table.Slugs, table.IndexItems} {
			n, err := clearKind(ctx, t, p.Categories(), kind, require)
			if kind == table.Records {
				categories += n
			}
			if err != nil {
				return categories, fmt.Errorf("delete categories: %w", err)
			}
			all += n
		}
		if empty && all == 0 {
			return categories, nil
		}
		if err := settle(ctx); err != nil {
			return categories, err
		}
		empty = true // all that was left at the first time has been deleted
	}
}

// clearKind deletes the items of a partition whose sort keys begin with kind, until there are none.
func clearKind(
	ctx context.Context, t table.Table, partition, kind string, require func(*table.Tx),
) (n int, err error) {
	for {
		page, err := table.Query[table.Key](ctx, t, partition, kind, table.MaxWrites-1)
		if err != nil || len(page.Items) == 0 {
			return n, err
		}
		tx := t.Tx()
		require(tx)
		for _, k := range page.Items {
			tx.Delete(t.DeleteItem(k), nil)
		}
		if err := tx.Run(ctx); err != nil {
			return n, err
		}
		n += len(page.Items)
	}
}
