package integrity

import (
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkIndexed: the parent and the root of a category lead back to it. They may be gone.
func checkIndexed(i *check.Item, r changeset.Record) {
	k := i.Key
	for _, index := range changeset.Index(portalOf(k), r.Category()) {
		if i.Pair(index.Key) {
			suspect(i, check.Recheck([]table.Key{k, index.Key}, judgeIndexed(k, index)))
		}
	}
}

// judgeIndexed checks an index item again, with the category read at the same moment.
func judgeIndexed(category table.Key, index changeset.IndexItem) func(table.Items) *check.Fault {
	p := portalOf(category)
	return func(items table.Items) *check.Fault {
		r, ok := categories.Get(items, category)
		if items[index.Key] != nil || !ok || !names(r, index.Key) {
			return nil
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s links to %d (%s), which does not lead back",
				r.ID, p, index.Target, index.Kind),
			Writes: check.Writes{index.Key: index},
			Did:    "wrote the index item",
		}
	}
}

// names reports whether a category has this index item.
func names(r changeset.Record, index table.Key) bool {
	return slices.ContainsFunc(changeset.Index(portalOf(r.Key), r.Category()), func(i changeset.IndexItem) bool {
		return i.Key == index
	})
}

// checkIndex: the source of an index item names the target.
func checkIndex(i *check.Item, index changeset.IndexItem) {
	k, p := i.Key, portalOf(i.Key)
	category := p.Category(index.Source)
	if !i.Pair(category) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
		from, lost := source(items, category)
		if items[k] == nil || lost == "" && names(from, k) {
			return nil
		}
		link := fmt.Sprintf("category %d of %s leads to %d (%s)", index.Target, p, index.Source, index.Kind)
		// The item may be all that is left of a lost category's link.
		if lost != "" {
			return &check.Fault{What: link + ", " + lost}
		}
		return &check.Fault{
			What:   link + ", which does not link to it",
			Writes: check.Writes{k: nil},
			Did:    "removed the index item",
		}
	}))
}
