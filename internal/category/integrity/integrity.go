// Package integrity says what holds of the items of a portal, and between them, and repairs what does not.
package integrity

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Rules are what the check of the table looks for.
var Rules = []check.Rule{
	portalItems.Rule, memberItems.Rule, records.Rule, slugOwners.Rule, refs.Rule,
	checkCategories, checkSlugs, checkRefs, checkIncoming, checkCircles, checkMembers,
}

var (
	portalItems = check.Kind[portal.Record]{Name: "portal", Key: func(_ table.Key, r portal.Record) table.Key {
		return table.Portal{Account: r.Account, Slug: r.Slug}.Key()
	}}
	memberItems = check.Kind[portal.Membership]{Name: "member", Key: func(k table.Key, m portal.Membership) table.Key { return partition(k).Member(m.User) }}
	records     = check.Kind[changeset.Record]{Name: "category", Key: func(k table.Key, r changeset.Record) table.Key { return partition(k).Category(r.ID) }}
	slugOwners  = check.Kind[changeset.SlugOwner]{Name: "slug owner", Key: func(k table.Key, _ changeset.SlugOwner) table.Key { return k }}
	refs        = check.Kind[changeset.Ref]{Name: "incoming link", Key: func(k table.Key, r changeset.Ref) table.Key { return partition(k).Ref(r.Target, r.Kind, r.Source) }, Delete: true}
)

// partition is the portal that a key belongs to, the zero Portal for one that belongs to none.
func partition(k table.Key) (p table.Portal) {
	rest, ok := strings.CutPrefix(k.PK, table.Portals)
	account, slug, found := strings.Cut(rest, "#")
	if ok && found {
		p.Account, _ = id.Parse(strings.TrimLeft(account, "0"))
		p.Slug = slug
	}
	return p
}

// get decodes an item; ok is false where it is not there.
func get[T any](items table.Items, k table.Key) (item T, ok bool) {
	ok, err := items.Get(k, &item)
	return item, ok && err == nil
}

// checkCategories: each has its slug, and each of its links has its record and leads somewhere.
func checkCategories(items table.Items) (candidates []check.Candidate) {
	records.Each(items, func(k table.Key, r changeset.Record) {
		p := partition(k)
		c := r.Category()
		owner := p.SlugOwner(c.Locale, c.Slug)
		if o, ok := get[changeset.SlugOwner](items, owner); !ok || o.Category != c.ID {
			candidates = append(candidates, check.Recheck([]table.Key{k, owner}, judgeOwner(p, k, owner)))
		}
		for _, l := range c.Links() {
			_, counted := items[p.Ref(l.Target, l.Kind, c.ID)]
			_, there := items[p.Category(l.Target)]
			if !counted || !there {
				keys := []table.Key{k, p.Ref(l.Target, l.Kind, c.ID), p.Category(l.Target)}
				candidates = append(candidates, check.Recheck(keys, judgeLink(p, k, l)))
			}
		}
	})
	return candidates
}

func judgeOwner(p table.Portal, k, owner table.Key) func(table.Items) *check.Fault {
	return func(items table.Items) *check.Fault {
		r, ok := get[changeset.Record](items, k)
		if !ok || p.SlugOwner(r.Locale, r.Slug) != owner {
			return nil // it is gone, or has moved, since it was suspected
		}
		o, owned := get[changeset.SlugOwner](items, owner)
		switch {
		case owned && o.Category == r.ID:
			return nil
		case owned:
			return &check.Fault{What: fmt.Sprintf("category %d of %s has slug %s in %s, which belongs to category %d", r.ID, p, r.Slug, r.Locale, o.Category)}
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s has slug %s in %s, which belongs to nobody", r.ID, p, r.Slug, r.Locale),
			Repair: mend(p, func(e *mending) string {
				e.seen(r)
				e.tx.Put(e.table.Put(changeset.SlugOwner{Key: owner, Category: r.ID}).If("attribute_not_exists(PK)"), check.ErrChanged)
				return "gave it the slug"
			}),
		}
	}
}

func judgeLink(p table.Portal, k table.Key, l changeset.Link) func(table.Items) *check.Fault {
	return func(items table.Items) *check.Fault {
		r, ok := get[changeset.Record](items, k)
		if !ok || !slices.Contains(r.Category().Links(), l) {
			return nil
		}
		_, counted := items[p.Ref(l.Target, l.Kind, r.ID)]
		_, there := items[p.Category(l.Target)]
		switch {
		case counted && there:
			return nil
		case there:
			return &check.Fault{
				What: fmt.Sprintf("category %d of %s links to %d (%s), which has no record of it", r.ID, p, l.Target, l.Kind),
				Repair: mend(p, func(e *mending) string {
					e.seen(r)
					e.put(changeset.NewRef(p, r.ID, l))
					return "recorded the link"
				}),
			}
		}
		return &check.Fault{
			What: fmt.Sprintf("category %d of %s links to %d (%s), which does not exist", r.ID, p, l.Target, l.Kind),
			Repair: mend(p, func(e *mending) string {
				e.unlink(r, l)
				if counted {
					e.deleteRef(l.Target, l.Kind, r.ID)
				}
				return "removed the link"
			}),
		}
	}
}

// checkSlugs: each belongs to a category that has it.
func checkSlugs(items table.Items) (candidates []check.Candidate) {
	slugOwners.Each(items, func(k table.Key, o changeset.SlugOwner) {
		p := partition(k)
		if owns(items, p, k, o) {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, p.Category(o.Category)}, func(items table.Items) *check.Fault {
			now, ok := get[changeset.SlugOwner](items, k)
			if !ok || now.Category != o.Category || owns(items, p, k, now) {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("%s of %s belongs to category %d, which does not have it", strings.TrimPrefix(k.SK, table.Slugs), p, o.Category),
				Repair: mend(p, func(e *mending) string {
					e.lacks(p.Category(o.Category), items)
					e.deleteIf(k, "category = ?", o.Category)
					return "set the slug free"
				}),
			}
		}))
	})
	return candidates
}

func owns(items table.Items, p table.Portal, k table.Key, o changeset.SlugOwner) bool {
	r, ok := get[changeset.Record](items, p.Category(o.Category))
	return ok && p.SlugOwner(r.Locale, r.Slug) == k
}

// checkRefs: each link that is recorded at its target goes out from its source.
func checkRefs(items table.Items) (candidates []check.Candidate) {
	refs.Each(items, func(k table.Key, r changeset.Ref) {
		p := partition(k)
		if goesOut(items, p, r) {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, p.Category(r.Source)}, func(items table.Items) *check.Fault {
			if _, ok := items[k]; !ok || goesOut(items, p, r) {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("category %d of %s has a link from %d (%s) recorded that does not go out from there", r.Target, p, r.Source, r.Kind),
				Repair: mend(p, func(e *mending) string {
					e.lacks(p.Category(r.Source), items)
					e.deleteRef(r.Target, r.Kind, r.Source)
					return "removed the record"
				}),
			}
		}))
	})
	return candidates
}

func goesOut(items table.Items, p table.Portal, r changeset.Ref) bool {
	source, ok := get[changeset.Record](items, p.Category(r.Source))
	return ok && slices.Contains(source.Category().Links(), r.Link())
}

// checkMembers: each is a member of a portal, and every item of a portal is one's that exists.
func checkMembers(items table.Items) (candidates []check.Candidate) {
	for k := range items {
		p := partition(k)
		if p == (table.Portal{}) || k == p.Key() {
			continue
		}
		if _, there := items[p.Key()]; !there {
			candidates = append(candidates, check.Recheck([]table.Key{k, p.Key()}, func(items table.Items) *check.Fault {
				if len(items) == 1 && items[k] != nil {
					return &check.Fault{What: fmt.Sprintf("%s is in %s, which does not exist", k, p)}
				}
				return nil
			}))
		}
	}
	memberItems.Each(items, func(k table.Key, m portal.Membership) {
		p := partition(k)
		if _, there := items[table.User(m.User)]; there {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, table.User(m.User)}, func(items table.Items) *check.Fault {
			if len(items) != 1 || items[k] == nil {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("user %d is a member of %s and does not exist", m.User, p),
				Repair: mend(p, func(e *mending) string {
					e.absent(table.User(m.User))
					e.deleteIf(k, "attribute_exists(PK)")
					return "ended the membership"
				}),
			}
		}))
	})
	return candidates
}
