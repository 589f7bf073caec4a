package integrity

import (
	"context"
	"fmt"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// checkCount: a category's count equals the number of links that lead to it.
func checkCount(i *check.Item, r changeset.Record) {
	if i.Counts(r.Incoming) {
		suspect(i, recount(portalOf(i.Key), r.ID))
	}
}

// countRef counts a link at its target.
func countRef(i *check.Item, r changeset.Ref) { i.CountedBy(portalOf(i.Key).Category(r.Target)) }

// recount counts the links to a category again, also damaged ones. There may be more links than one snapshot can read.
// So it believes a wrong count only when the category says the same before and after the count, three times in a row.
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
				return nil, nil // correct, or being changed by somebody who keeps the count
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

// countOf returns the count that a category says, or nil if the category does not exist.
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
