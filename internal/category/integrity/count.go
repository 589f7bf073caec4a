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
		suspect(i, recount(portalOf(i.Key), r.ID))
	}
}

// countRef: a link is counted by its target.
func countRef(i *check.Item, r changeset.Ref) { i.CountedBy(portalOf(i.Key).Category(r.Target)) }

// recount counts the links to a category again, those too that cannot be read. They may be more than one snapshot
// takes, so a wrong count is believed only where the category says the same before and after the links are counted,
// three times in a row.
func recount(p table.Portal, category id.ID) check.Candidate {
	const times = 3
	return func(ctx context.Context, t table.Table) (*check.Fault, error) {
		var says, counted int64
		for range times {
			before, err := countOf(ctx, t, p, category)
			if err != nil || before == nil {
				return nil, err
			}
			links := table.RefsTo(category)
			found, err := t.Count(ctx, p.Categories(), links, links+"~")
			if err != nil {
				return nil, err
			}
			after, err := countOf(ctx, t, p, category)
			if err != nil || after == nil {
				return nil, err
			}
			says, counted = *after, int64(found)
			if *before != *after || says == counted {
				return nil, nil // in order, or being changed: whoever changes it counts
			}
		}
		k := p.Category(category)
		return check.Recheck([]table.Key{k}, func(items table.Items) *check.Fault {
			if r, ok := categories.Get(items, k); !ok || r.Incoming != says {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("category %d of %s counts %d incoming links and has %d",
					category, p, says, counted),
				Writes: check.Writes{k: check.Set{"incoming": counted}},
				Did:    fmt.Sprintf("set the count to %d", counted),
			}
		})(ctx, t)
	}
}

// countOf is what a category says of its incoming links, nil if there is no such category.
func countOf(ctx context.Context, t table.Table, p table.Portal, category id.ID) (*int64, error) {
	items, err := t.Read(ctx, p.Category(category))
	if err != nil {
		return nil, err
	}
	r, ok := categories.Get(items, p.Category(category))
	if !ok {
		return nil, nil
	}
	return &r.Incoming, nil
}
