package integrity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/tree"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkAncestors: no category is its own ancestor.
func checkAncestors(i *check.Item, r changeset.Record) {
	if r.Parent != 0 && i.Below(portalOf(i.Key).Category(r.Parent)) {
		i.Suspect(ascend(i.Key))
	}
}

// ascend reads the ancestors of a category one by one, until it meets a root or a category that it has read before.
func ascend(k table.Key) check.Candidate {
	return func(ctx context.Context, t table.Table) (*check.Fault, error) {
		var path []changeset.Record
		// The walk ends at the first category that it meets twice. The cycle begins there, and may not contain the
		// first one.
		at := func(r changeset.Record) bool { return r.Key == k }
		for !slices.ContainsFunc(path, at) {
			items, err := t.Read(ctx, k)
			if err != nil {
				return nil, err
			}
			r, ok := categories.Get(items, k)
			if !ok || r.Parent == 0 {
				return nil, nil
			}
			path = append(path, r)
			k = portalOf(k).Category(r.Parent)
		}
		return cycle(path[slices.IndexFunc(path, at):])(ctx, t)
	}
}

// cycle reads the categories of a cycle again, all at one moment. At least one of its links is wrong, and nothing
// says which. The repair removes the parent of the category that was changed last: most likely that change has closed
// the cycle.
func cycle(path []changeset.Record) check.Candidate {
	last := slices.MaxFunc(path, func(a, b changeset.Record) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	p := portalOf(last.Key)
	index := p.IndexItem(last.Parent, string(tree.Sub), last.ID)
	keys := []table.Key{index}
	for _, r := range path {
		keys = append(keys, r.Key)
	}
	return check.Recheck(keys, func(items table.Items) *check.Fault {
		// A category that has another parent by now has opened the cycle.
		for _, read := range path {
			if r, ok := categories.Get(items, read.Key); !ok || r.Parent != read.Parent {
				return nil
			}
		}
		now, _ := categories.Get(items, last.Key)
		writes := check.Writes{index: nil, last.Key: check.Set{
			"parent": nil, "version": now.Version + 1, "updated_at": time.Now().UTC().Truncate(time.Millisecond),
		}}
		return &check.Fault{
			What:   fmt.Sprintf("category %d of %s is its own ancestor, over %d levels", last.ID, p, len(path)),
			Writes: writes,
			Did:    fmt.Sprintf("removed its parent %d", last.Parent),
		}
	})
}
