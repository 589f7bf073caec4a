package integrity

import (
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkLocale: a category's locale is one that its portal has or had. Readers would not get the category otherwise.
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

// locales returns every locale that a category of the portal may have, in its normal form.
func locales(r portal.Record) (normal []string) {
	for _, locale := range slices.Concat(r.Locales, r.FormerLocales) {
		normal = append(normal, portal.NormalLocale(locale))
	}
	return normal
}

// part is the key that stands for a locale of a portal in the check's statements. No such item exists.
func part(p table.Portal, locale string) table.Key {
	return table.Key{PK: p.Key().PK, SK: "LOCALE#" + locale}
}
