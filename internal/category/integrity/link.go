package integrity

import (
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLinks: each link of a category leads to one that exists, and is recorded there.
func checkLinks(items table.Items) (candidates []check.Candidate) {
	records.Each(items, func(k table.Key, r changeset.Record) {
		p := portalOf(k)
		for _, l := range r.Category().Links() {
			ref, target := p.Ref(l.Target, l.Kind, r.ID), p.Category(l.Target)
			if items[ref] == nil || items[target] == nil {
				keys := []table.Key{k, ref, target}
				candidates = append(candidates, check.Recheck(keys, judgeLink(k, ref, target, l)))
			}
		}
	})
	return candidates
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

// checkRefs: each link that is recorded at its target goes out from its source.
func checkRefs(items table.Items) (candidates []check.Candidate) {
	refs.Each(items, func(k table.Key, r changeset.Ref) {
		p := portalOf(k)
		source := p.Category(r.Source)
		if goesOut(items, source, r) {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, source}, func(items table.Items) *check.Fault {
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
	})
	return candidates
}

func goesOut(items table.Items, source table.Key, r changeset.Ref) bool {
	s, ok := get[changeset.Record](items, source)
	return ok && slices.Contains(s.Category().Links(), r.Link())
}
