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

var orders = check.Kind[changeset.Order]{
	Name: "place in the list", Key: func(k table.Key, o changeset.Order) table.Key {
		return portalOf(k).Order(localeOf(k), o.Position, o.Category)
	}, Delete: true,
}

// localeOf is the locale in whose list a place is.
func localeOf(k table.Key) string {
	locale, _, _ := strings.Cut(strings.TrimPrefix(k.SK, table.Orders), "#")
	return locale
}

// checkOrdered: each category has its place in the list.
func checkOrdered(items table.Items) (candidates []check.Candidate) {
	records.Each(items, func(k table.Key, r changeset.Record) {
		order := changeset.NewOrder(portalOf(k), r.Category())
		if items[order.Key] != nil {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, order.Key}, func(items table.Items) *check.Fault {
			if items[order.Key] != nil || !isAt(items, k, order.Key) {
				return nil
			}
			p := portalOf(k)
			return &check.Fault{
				What: fmt.Sprintf("category %d of %s has no place in the list of its locale", r.ID, p),
				Repair: repairOf(p, func(re *repair) string {
					re.expectSame(k, items)
					re.put(order)
					return "gave it its place"
				}),
			}
		}))
	})
	return candidates
}

// checkOrders: each place in a list is the place of its category.
func checkOrders(items table.Items) (candidates []check.Candidate) {
	orders.Each(items, func(k table.Key, o changeset.Order) {
		p := portalOf(k)
		category := p.Category(o.Category)
		if isAt(items, category, k) {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, category}, func(items table.Items) *check.Fault {
			if items[k] == nil || isAt(items, category, k) {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("the list of %s of %s has category %d where it is not", localeOf(k), p, o.Category),
				Repair: repairOf(p, func(re *repair) string {
					re.expectSame(category, items)
					re.deleteIf(k, "attribute_exists(PK)")
					return "took it from there"
				}),
			}
		}))
	})
	return candidates
}

// isAt reports whether a category's place in the list has a key.
func isAt(items table.Items, category, place table.Key) bool {
	r, ok := get[changeset.Record](items, category)
	return ok && changeset.NewOrder(portalOf(category), r.Category()).Key == place
}

// checkLocales: each category is in a locale that its portal has or had, because the list of all is made of theirs.
func checkLocales(items table.Items) (candidates []check.Candidate) {
	records.Each(items, func(k table.Key, r changeset.Record) {
		p := portalOf(k)
		if of, ok := get[portal.Record](items, p.Key()); !ok || hasLocale(of, r.Locale) {
			return
		}
		keys := []table.Key{k, p.Key()}
		candidates = append(candidates, check.Recheck(keys, func(items table.Items) *check.Fault {
			now, ok := get[changeset.Record](items, k)
			of, portalExists := get[portal.Record](items, p.Key())
			if !ok || !portalExists || hasLocale(of, now.Locale) {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("category %d of %s is in %s, which the portal never had", now.ID, p, now.Locale),
				Repair: repairOf(p, func(re *repair) string {
					u := re.table.UpdateItem(p.Key()).Set("former_locales", append(of.FormerLocales, now.Locale))
					u.If("locales = ?", of.Locales)
					if len(of.FormerLocales) == 0 {
						u.If("attribute_not_exists(former_locales)")
					} else {
						u.If("former_locales = ?", of.FormerLocales)
					}
					re.tx.Update(u, check.ErrChanged)
					return "made it a former locale of the portal"
				}),
			}
		}))
	})
	return candidates
}

func hasLocale(p portal.Record, locale string) bool {
	return slices.Contains(p.Locales, locale) || slices.Contains(p.FormerLocales, locale)
}
