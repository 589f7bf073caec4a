package integrity

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkAncestors: no category is its own ancestor.
func checkAncestors(i *check.Item, r changeset.Record) {
	if r.Parent != 0 && i.Below(portalOf(i.Key).Category(r.Parent)) {
		i.Suspect(ascend(i.Key))
	}
}

// ascend reads the ancestors of a category one after the other, until there is none, or one comes again.
func ascend(k table.Key) check.Candidate {
	return func(ctx context.Context, t table.Table) (*check.Fault, error) {
		var path []table.Key
		for !slices.Contains(path, k) {
			items, err := t.Read(ctx, k)
			if err != nil {
				return nil, err
			}
			r, ok := get[changeset.Record](items, k)
			if !ok || r.Parent == 0 {
				return nil, nil
			}
			path = append(path, k)
			k = portalOf(k).Category(r.Parent)
		}
		return cycle(path[slices.Index(path, k):])(ctx, t)
	}
}

// cycle reads the categories of a cycle again. The repair opens it at the category that was changed last, where it was
// most likely closed.
func cycle(keys []table.Key) check.Candidate {
	return check.Recheck(keys, func(items table.Items) *check.Fault {
		var last changeset.Record
		for i, k := range keys {
			r, ok := get[changeset.Record](items, k)
			if !ok || portalOf(k).Category(r.Parent) != keys[(i+1)%len(keys)] {
				return nil
			}
			if r.UpdatedAt.After(last.UpdatedAt) || last.ID == 0 {
				last = r
			}
		}
		p := portalOf(last.Key)
		l := changeset.Link{Kind: table.Sub, Target: last.Parent}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s is its own ancestor, over %d levels", last.ID, p, len(keys)),
			Repair: repairOf(p, func(re *repair) string {
				re.unlink(last, l)
				re.deleteIf(p.Ref(l.Target, l.Kind, last.ID), "attribute_exists(PK)")
				if l.Target != last.ID { // a transaction writes an item once: then the next pass corrects the count
					u := re.table.UpdateItem(p.Category(l.Target)).Add("incoming", -1).If("attribute_exists(PK)")
					re.tx.Update(u, check.ErrChanged)
				}
				return fmt.Sprintf("took its parent %d from it", l.Target)
			}),
		}
	})
}
