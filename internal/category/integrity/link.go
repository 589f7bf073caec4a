package integrity

import (
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLinks: each link of a category leads to an existing category, and is recorded there.
func checkLinks(i *check.Item, r changeset.Record) {
	k, p := i.Key, portalOf(i.Key)
	for _, l := range r.Category().Links() {
		ref, target := p.Ref(l.Target, l.Kind, r.ID), p.Category(l.Target)
		// The scan sees different moments. What looks broken is read again before it is believed.
		unrecorded, missing := i.Pair(ref), i.Needs(target)
		if unrecorded || missing {
			suspect(i, check.Recheck([]table.Key{k, ref, target}, judgeLink(k, ref, target, l)))
		}
	}
}

// judgeLink checks a link again, with its source, its record and its target read at one moment.
func judgeLink(source, ref, target table.Key, l changeset.Link) func(table.Items) *check.Fault {
	p := portalOf(source)
	return func(items table.Items) *check.Fault {
		r, ok := categories.Get(items, source)
		if !ok || !slices.Contains(r.Category().Links(), l) {
			return nil
		}
		link := fmt.Sprintf("category %d of %s links to %d (%s)", r.ID, p, l.Target, l.Kind)
		switch {
		case items[target] == nil: // lost, because a deletion would have ended this link
			return &check.Fault{What: link + ", which does not exist"}
		case items[ref] == nil:
			return &check.Fault{
				What:   link + ", which has no record of it",
				Writes: check.Writes{ref: changeset.NewRef(p, r.ID, l)},
				Did:    "recorded the link",
			}
		}
		return nil
	}
}

// checkRef: a link that is recorded at its target also stands in its source.
func checkRef(i *check.Item, r changeset.Ref) {
	k, p := i.Key, portalOf(i.Key)
	category := p.Category(r.Source)
	if !i.Pair(category) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
		from, lost := source(items, category)
		if items[k] == nil || lost == "" && slices.Contains(from.Category().Links(), r.Link()) {
			return nil
		}
		link := fmt.Sprintf("category %d of %s has a link from %d (%s) recorded", r.Target, p, r.Source, r.Kind)
		// The record may be all that is left of a lost category's link.
		if lost != "" {
			return &check.Fault{What: link + ", " + lost}
		}
		return &check.Fault{
			What:   link + " that does not go out from there",
			Writes: check.Writes{k: nil},
			Did:    "removed the record",
		}
	}))
}
