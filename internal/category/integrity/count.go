package integrity

import (
	"context"
	"fmt"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// checkIncoming: each category counts the links that lead to it.
func checkIncoming(items table.Items) (candidates []check.Candidate) {
	counts := map[table.Key]int64{}
	refs.Each(items, func(k table.Key, r changeset.Ref) { counts[partition(k).Category(r.Target)]++ })
	records.Each(items, func(k table.Key, r changeset.Record) {
		if r.Incoming != counts[k] {
			candidates = append(candidates, recount(partition(k), r.ID))
		}
	})
	return candidates
}

// recount counts the links to a category again. They are more than can be read at one moment, so the count
// is believed only where the category says the same before and after, and more than once.
func recount(p table.Portal, category id.ID) check.Candidate {
	const times = 3
	return func(ctx context.Context, t table.Table) (*check.Fault, error) {
		var says, counted int64
		for range times {
			before, err := countOf(ctx, t, p, category)
			if err != nil || before == nil {
				return nil, err
			}
			first, err := table.Query[changeset.Ref](ctx, t, p.Key().PK, table.RefsTo(category), 0)
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
				return nil, nil // in order, or at work: whoever writes counts
			}
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s counts %d incoming links and has %d", category, p, says, counted),
			Repair: mend(p, func(e *mending) string {
				e.tx.Update(e.update(category).Set("incoming", counted).If("incoming = ?", says), check.ErrChanged)
				return fmt.Sprintf("set the count to %d", counted)
			}),
		}, nil
	}
}

// countOf is what a category says of its incoming links, nil if it is not there.
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

// checkCircles: no category is above itself.
func checkCircles(items table.Items) (candidates []check.Candidate) {
	parents := map[table.Key]table.Key{}
	records.Each(items, func(k table.Key, r changeset.Record) {
		if r.Parent != 0 {
			parents[k] = partition(k).Category(r.Parent)
		}
	})
	done := map[table.Key]bool{}
	for k := range parents {
		var path []table.Key
		onPath := map[table.Key]int{}
		for ; k != (table.Key{}) && !done[k]; k = parents[k] {
			if from, closed := onPath[k]; closed {
				candidates = append(candidates, circle(path[from:]))
				break
			}
			onPath[k] = len(path)
			path = append(path, k)
		}
		for _, passed := range path {
			done[passed] = true
		}
	}
	return candidates
}

// circle reads the categories of a circle again. It is opened where it was most likely closed: at the category
// that was changed last.
func circle(keys []table.Key) check.Candidate {
	return check.Recheck(keys, func(items table.Items) *check.Fault {
		var last changeset.Record
		for i, k := range keys {
			r, ok := get[changeset.Record](items, k)
			if !ok || partition(k).Category(r.Parent) != keys[(i+1)%len(keys)] {
				return nil
			}
			if r.UpdatedAt.After(last.UpdatedAt) || last.ID == 0 {
				last = r
			}
		}
		p := partition(last.Key)
		l := changeset.Link{Kind: table.Sub, Target: last.Parent}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s is its own ancestor, over %d levels", last.ID, p, len(keys)),
			Repair: mend(p, func(e *mending) string {
				e.unlink(last, l)
				e.deleteRef(l.Target, l.Kind, last.ID)
				if l.Target != last.ID { // else it is one item with the above, and the next pass counts anew
					e.tx.Update(e.update(l.Target).Add("incoming", -1).If("attribute_exists(PK)"), check.ErrChanged)
				}
				return fmt.Sprintf("took its parent %d from it", l.Target)
			}),
		}
	})
}
