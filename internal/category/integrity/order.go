package integrity

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// localeOf returns the locale of the list that a place is in.
func localeOf(k table.Key) string {
	locale, _, _ := strings.Cut(strings.TrimPrefix(k.SK, table.Orders), "#")
	return locale
}

// checkPlace: a category has its place in the list.
func checkPlace(i *check.Item, r changeset.Record) {
	k, p := i.Key, portalOf(i.Key)
	order := changeset.NewOrder(p, r.Category())
	if !i.Pair(order.Key) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, order.Key}, func(items table.Items) *check.Fault {
		// The category may have got another position, or have been deleted, since the scan.
		if items[order.Key] != nil || !isAt(items, k, order.Key) {
			return nil
		}
		return &check.Fault{
			What:   fmt.Sprintf("category %d of %s has no place in the list of its locale", r.ID, p),
			Writes: check.Writes{order.Key: order},
			Did:    "gave it its place",
		}
	}))
}

// checkOrder: a place in a list is the present place of its category, or the one that its record says it has left.
func checkOrder(i *check.Item, o changeset.Order) {
	k, p := i.Key, portalOf(i.Key)
	category := p.Category(o.Category)
	if !i.Pair(category) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
		r, lost := source(items, category)
		if items[k] == nil || lost == "" && (isAt(items, category, k) || r.Left == k.SK) {
			return nil
		}
		place := fmt.Sprintf("the list of %s of %s has category %d", localeOf(k), p, o.Category)
		if lost != "" {
			return &check.Fault{What: place + ", " + lost}
		}
		return &check.Fault{What: place + " where it is not", Writes: check.Writes{k: nil}, Did: "removed the place"}
	}))
}

// isAt reports whether a category's place in the list has this key.
func isAt(items table.Items, category, place table.Key) bool {
	r, ok := categories.Get(items, category)
	return ok && changeset.NewOrder(portalOf(category), r.Category()).Key == place
}

// checkLocale: a category's locale is one that its portal has or had. The list of all categories is merged from these
// locales, so it would miss the category otherwise.
func checkLocale(i *check.Item, r changeset.Record) {
	k, p := i.Key, portalOf(i.Key)
	if !i.Needs(part(p, r.Locale)) {
		return
	}
	suspect(i, check.Recheck([]table.Key{k, p.Key()}, func(items table.Items) *check.Fault {
		now, ok := categories.Get(items, k)
		of, portalExists := get[portal.Record](items, p.Key())
		if !ok || !portalExists || slices.Contains(locales(of), now.Locale) {
			return nil
		}
		return &check.Fault{
			What:   fmt.Sprintf("category %d of %s is in %s, which the portal never had", now.ID, p, now.Locale),
			Writes: check.Writes{p.Key(): check.Set{"former_locales": append(of.FormerLocales, now.Locale)}},
			Did:    "made it a former locale of the portal",
		}
	}))
}

// offerLocales states which locales a portal has, for checkLocale.
func offerLocales(i *check.Item, r portal.Record) {
	for _, locale := range locales(r) {
		i.Offers(part(portalOf(i.Key), locale))
	}
}

func locales(r portal.Record) []string { return slices.Concat(r.Locales, r.FormerLocales) }

// part is the key that stands for a locale of a portal in the check's statements. No such item exists.
func part(p table.Portal, locale string) table.Key {
	return table.Key{PK: p.Key().PK, SK: "LOCALE#" + locale}
}
