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
		suspect(i, check.Recheck([]table.Key{k, owner}, judgeClaim(k, owner)))
	}
}

// judgeClaim checks a claim again, with the category and the slug's owner read at one moment.
func judgeClaim(k, owner table.Key) func(table.Items) *check.Fault {
	p := portalOf(k)
	return func(items table.Items) *check.Fault {
		r, ok := categories.Get(items, k)
		if !ok || p.SlugOwner(r.Locale, r.Slug) != owner {
			return nil // it was deleted or got another slug meanwhile
		}
		has := fmt.Sprintf("category %d of %s has slug %s in %s", r.ID, p, r.Slug, r.Locale)
		o, owned := get[changeset.SlugOwner](items, owner)
		switch {
		case owned && o.Category == r.ID:
			return nil
		// Two categories claim one slug. Nobody knows which of them is right, so there is no repair.
		case owned:
			return &check.Fault{What: fmt.Sprintf("%s, which belongs to category %d", has, o.Category)}
		}
		return &check.Fault{
			What:   has + ", which belongs to nobody",
			Writes: check.Writes{owner: changeset.SlugOwner{Key: owner, Category: r.ID}},
			Did:    "gave it the slug",
		}
	}
}

// checkSlugOwner: the category that owns a slug has this slug.
func checkSlugOwner(i *check.Item, o changeset.SlugOwner) {
	k, p := i.Key, portalOf(i.Key)
	category := p.Category(o.Category)
	if !i.Pair(category) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
		now, ok := get[changeset.SlugOwner](items, k)
		r, lost := source(items, category)
		if !ok || now.Category != o.Category || lost == "" && p.SlugOwner(r.Locale, r.Slug) == k {
			return nil
		}
		owned := fmt.Sprintf("%s of %s belongs to category %d, ", strings.TrimPrefix(k.SK, table.Slugs), p, o.Category)
		// The slug may be all that is left of a lost category.
		if lost != "" {
			return &check.Fault{What: "slug " + owned + lost}
		}
		return &check.Fault{
			What: "slug " + owned + "which does not have it", Writes: check.Writes{k: nil}, Did: "freed the slug",
		}
	}))
}
