package integrity

import (
	"context"
	"fmt"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// checkCount: a category counts the links that lead to it.
func checkCount(i *check.Item, r changeset.Record) {
	if i.Counts(r.Incoming) {
		i.Suspect(recount(portalOf(i.Key), r.ID))
	}
}

// countRef: a link is counted by its target.
func countRef(i *check.Item, r changeset.Ref) { i.CountedBy(portalOf(i.Key).Category(r.Target)) }

// recount counts the links to a category again. They may be more than one snapshot takes, so a wrong count is believed
// only where the category says the same before and after the links are read, three times in a row.
func recount(p table.Portal, category id.ID) check.Candidate {
	const times = 3
	return func(ctx context.Context, t table.Table) (*check.Fault, error) {
		var says, counted int64
		for range times {
			before, err := countOf(ctx, t, p, category)
			if err != nil || before == nil {
				return nil, err
			}
			first, err := table.Query[changeset.Ref](ctx, t, p.Categories(), table.RefsTo(category), 0)
			if err != nil {
				return nil, err
			}
			found, err := first.All(ctx)
			if err != nil {
				return nil, err
			}
			after, err := countOf(ctx, t, p, category)
			if err != nil || after == nil {
				return nil, err
			}
			says, counted = *after, int64(len(found))
			if *before != *after || says == counted {
				return nil, nil // in order, or being changed: whoever changes it counts
			}
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s counts %d incoming links and has %d", category, p, says, counted),
			Repair: repairOf(p, func(re *repair) string {
				u := re.table.UpdateItem(p.Category(category)).Set("incoming", counted)
				re.tx.Update(u.If("incoming = ?", says), check.ErrChanged)
				return fmt.Sprintf("set the count to %d", counted)
			}),
		}, nil
	}
}

// countOf is what a category says of its incoming links, nil if there is no such category.
func countOf(ctx context.Context, t table.Table, p table.Portal, category id.ID) (*int64, error) {
	items, err := t.Read(ctx, p.Category(category))
	if err != nil {
		return nil, err
	}
	r, ok := get[changeset.Record](items, p.Category(category))
	if !ok {
		return nil, nil
	}
	return &r.Incoming, nil
}
