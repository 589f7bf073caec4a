package integrity

import (
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLinks: each link of a category leads to one that exists, and is recorded there.
func checkLinks(i *check.Item, r changeset.Record) {
	k, p := i.Key, portalOf(i.Key)
	for _, l := range r.Category().Links() {
		ref, target := p.Ref(l.Target, l.Kind, r.ID), p.Category(l.Target)
		unrecorded, missing := i.Pair(ref), i.Needs(target)
		if unrecorded || missing {
			i.Suspect(check.Recheck([]table.Key{k, ref, target}, judgeLink(k, ref, target, l)))
		}
	}
}

func judgeLink(source, ref, target table.Key, l changeset.Link) func(table.Items) *check.Fault {
	p := portalOf(source)
	return func(items table.Items) *check.Fault {
		r, ok := get[changeset.Record](items, source)
		if !ok || !slices.Contains(r.Category().Links(), l) {
			return nil
		}
		_, recorded := items[ref]
		_, exists := items[target]
		if recorded && exists {
			return nil
		}
		link := fmt.Sprintf("category %d of %s links to %d (%s)", r.ID, p, l.Target, l.Kind)
		if exists {
			record := repairOf(p, func(re *repair) string {
				re.expectVersion(r)
				re.put(changeset.NewRef(p, r.ID, l))
				return "recorded the link"
			})
			return &check.Fault{What: link + ", which has no record of it", Repair: record}
		}
		unlink := repairOf(p, func(re *repair) string {
			re.unlink(r, l)
			if recorded {
				re.deleteIf(ref, "attribute_exists(PK)")
			}
			return "removed the link"
		})
		return &check.Fault{What: link + ", which does not exist", Repair: unlink}
	}
}

// checkRef: a link that is recorded at its target goes out from its source.
func checkRef(i *check.Item, r changeset.Ref) {
	k, p := i.Key, portalOf(i.Key)
	source := p.Category(r.Source)
	if !i.Pair(source) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, source}, func(items table.Items) *check.Fault {
		if items[k] == nil || goesOut(items, source, r) {
			return nil
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s has a link from %d (%s) recorded that does not go out from there",
				r.Target, p, r.Source, r.Kind),
			Repair: repairOf(p, func(re *repair) string {
				re.expectSame(source, items)
				re.deleteIf(k, "attribute_exists(PK)")
				return "removed the record"
			}),
		}
	}))
}

func goesOut(items table.Items, source table.Key, r changeset.Ref) bool {
	s, ok := get[changeset.Record](items, source)
	return ok && slices.Contains(s.Category().Links(), r.Link())
}
