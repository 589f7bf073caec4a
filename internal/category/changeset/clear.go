package changeset

import (
	"context"
	"fmt"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Count counts the categories of a portal. It takes the units of reading them.
func Count(ctx context.Context, t table.Table, p table.Portal) (int, error) {
	return t.Count(ctx, p.Categories(), table.Records, table.Records+"~")
}

// Clear deletes all categories of a portal in which nobody creates any more, and counts them. One that was interrupted
// is to be repeated; until then the table is not whole.
//
// The records go first. Whoever changes a category depends on its record, so once they are gone nothing is added to the
// rest.
func Clear(ctx context.Context, t table.Table, p table.Portal) (categories int, err error) {
	for _, kind := range []string{table.Records, table.Slugs, table.Refs, table.Orders} {
		n, err := clearKind(ctx, t, p.Categories(), kind)
		if kind == table.Records {
			categories = n
		}
		if err != nil {
			return categories, fmt.Errorf("delete categories: %w", err)
		}
	}
	return categories, nil
}

// cleared is an item of a category. A slug owner says whose it is.
type cleared struct {
	table.Key
	Category id.ID `dynamo:"category"`
}

// clearKind deletes the items of a partition whose sort keys begin with kind, until there are none.
func clearKind(ctx context.Context, t table.Table, partition, kind string) (n int, err error) {
	for {
		page, err := table.Query[cleared](ctx, t, partition, kind, table.MaxWrites)
		if err != nil || len(page.Items) == 0 {
			return n, err
		}
		tx := t.Tx()
		for _, item := range page.Items {
			d := t.DeleteItem(item.Key)
			if kind == table.Slugs {
				// An attempt that arrives late finds a category of a portal that was made again, which has the slug.
				// All other keys have an id.
				d.If("attribute_not_exists(category) OR category = ?", item.Category)
			}
			tx.Delete(d, ErrStale)
		}
		if err := tx.Run(ctx); err != nil {
			return n, err
		}
		n += len(page.Items)
	}
}
