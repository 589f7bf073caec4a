package integrity

import (
	"fmt"
	"strings"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkClaim: a category owns its slug.
func checkClaim(i *check.Item, r changeset.Record) {
	k, owner := i.Key, portalOf(i.Key).SlugOwner(r.Locale, r.Slug)
	if i.Pair(owner) {
		i.Suspect(check.Recheck([]table.Key{k, owner}, judgeClaim(k, owner)))
	}
}

func judgeClaim(k, owner table.Key) func(table.Items) *check.Fault {
	p := portalOf(k)
	return func(items table.Items) *check.Fault {
		r, ok := get[changeset.Record](items, k)
		if !ok || p.SlugOwner(r.Locale, r.Slug) != owner {
			return nil // it was deleted or has another slug by now
		}
		has := fmt.Sprintf("category %d of %s has slug %s in %s", r.ID, p, r.Slug, r.Locale)
		o, owned := get[changeset.SlugOwner](items, owner)
		switch {
		case owned && o.Category == r.ID:
			return nil
		case owned:
			return &check.Fault{What: fmt.Sprintf("%s, which belongs to category %d", has, o.Category)}
		}
		return &check.Fault{What: has + ", which belongs to nobody", Repair: repairOf(p, func(re *repair) string {
			re.expectVersion(r)
			re.put(changeset.SlugOwner{Key: owner, Category: r.ID})
			return "gave it the slug"
		})}
	}
}

// checkSlugOwner: a slug that is owned is the slug of its owner.
func checkSlugOwner(i *check.Item, o changeset.SlugOwner) {
	k, p := i.Key, portalOf(i.Key)
	category := p.Category(o.Category)
	if !i.Pair(category) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
		now, ok := get[changeset.SlugOwner](items, k)
		if !ok || now.Category != o.Category || owns(items, k, now) {
			return nil
		}
		slug := strings.TrimPrefix(k.SK, table.Slugs)
		return &check.Fault{
			What: fmt.Sprintf("%s of %s belongs to category %d, which does not have it", slug, p, o.Category),
			Repair: repairOf(p, func(re *repair) string {
				re.expectSame(category, items)
				re.deleteIf(k, "category = ?", o.Category)
				return "set the slug free"
			}),
		}
	}))
}

// owns reports whether the category that is said to own a slug has it.
func owns(items table.Items, k table.Key, o changeset.SlugOwner) bool {
	p := portalOf(k)
	r, ok := get[changeset.Record](items, p.Category(o.Category))
	return ok && p.SlugOwner(r.Locale, r.Slug) == k
}
