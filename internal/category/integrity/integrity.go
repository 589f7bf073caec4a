// Package integrity has the rules for the items of a portal, for the check of the whole table, and repairs what
// breaks them.
package integrity

import (
	"strings"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Rules are the rules for portals. The check reads the table once, and asks each rule about each item.
var Rules = []check.Rule{
	checkPortal,
	check.Kind[portal.Record]{
		Name: "portal", Needed: true,
		Key: func(_ table.Key, r portal.Record) table.Key {
			return table.Portal{Account: r.Account, Slug: r.Slug}.Key()
		},
	}.Rule(offerLocales, checkDeletion),
	check.Kind[portal.Membership]{
		Name: "member",
		Key:  func(k table.Key, m portal.Membership) table.Key { return portalOf(k).Member(m.User) },
	}.Rule(),
	categories.Rule(checkClaim, checkIndexed, checkAncestors, checkLocale),
	check.Kind[changeset.SlugOwner]{
		Name: "slug owner", Key: func(k table.Key, _ changeset.SlugOwner) table.Key { return k },
	}.Rule(checkSlugOwner),
	check.Kind[changeset.IndexItem]{
		Name: "index item", Original: originalOf,
		Key: func(k table.Key, i changeset.IndexItem) table.Key {
			return portalOf(k).IndexItem(i.Target, string(i.Kind), i.Source)
		},
	}.Rule(checkIndex),
}

// categories are the records of categories. Slug owners and index items repeat what a record says. When a record has
// lost an attribute, these may be all that is known of it. So a record that lacks one is no reason to remove any of
// them.
var categories = check.Kind[changeset.Record]{
	Name: "category", Needed: true,
	Key: func(k table.Key, r changeset.Record) table.Key { return portalOf(k).Category(r.ID) },
	Lacks: func(r changeset.Record) string {
		switch {
		case r.Locale == "":
			return "locale"
		case r.Slug == "":
			return "slug"
		}
		return ""
	},
}

// originalOf returns the category that an index item leads to. The category's id ends the sort key.
func originalOf(k table.Key) check.Original {
	category := table.Key{PK: k.PK, SK: table.Records + k.SK[strings.LastIndex(k.SK, "#")+1:]}
	return check.Original{Key: category, Whole: func(items table.Items) bool {
		_, whole := categories.Get(items, category)
		return whole
	}}
}

// portalOf returns the portal that a key belongs to, or the zero Portal for a key of something else.
func portalOf(k table.Key) (p table.Portal) {
	for _, kind := range []string{table.Portals, table.Members, table.Categories} {
		rest, ok := strings.CutPrefix(k.PK, kind)
		account, slug, found := strings.Cut(rest, "#")
		if ok && found {
			p.Account, _ = id.Parse(strings.TrimLeft(account, "0"))
			p.Slug = slug
		}
	}
	return p
}

// get decodes an item. ok is false when the item is missing or cannot be read.
func get[T any](items table.Items, k table.Key) (item T, ok bool) {
	ok, err := items.Get(k, &item)
	return item, ok && err == nil
}

// source reads the category that an item repeats something of. lost says why nobody knows what the category says; it is
// "" when that is known. The item may be all that is left of a lost category, so the check never removes it.
func source(items table.Items, category table.Key) (r changeset.Record, lost string) {
	r, ok := categories.Get(items, category)
	switch {
	case items[category] == nil:
		return r, "which does not exist"
	case !ok:
		return r, "which is damaged"
	}
	return r, ""
}
