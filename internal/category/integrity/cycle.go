package integrity

import (
	"fmt"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkCycles: no category is its own ancestor.
func checkCycles(items table.Items) (candidates []check.Candidate) {
	parents := map[table.Key]table.Key{}
	records.Each(items, func(k table.Key, r changeset.Record) {
		if r.Parent != 0 {
			parents[k] = portalOf(k).Category(r.Parent)
		}
	})
	done := map[table.Key]bool{}
	for k := range parents {
		var path []table.Key
		onPath := map[table.Key]int{}
		for ; k != (table.Key{}) && !done[k]; k = parents[k] {
			if from, closed := onPath[k]; closed {
				candidates = append(candidates, cycle(path[from:]))
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
