// Package portal keeps the portals of accounts, and decides who may act on one: its members.
package portal

import (
	"cmp"
	"encoding/json"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"

	"golang.org/x/text/unicode/norm"
)

// Portal is a help center of an account, as its record in the table has it. Each of its categories is in one of its
// locales.
type Portal struct {
	Account       id.ID    `dynamo:"account"`
	Slug          string   `dynamo:"slug"`
	Name          string   `dynamo:"name"`
	Locales       []string `dynamo:"locales"`
	DefaultLocale string   `dynamo:"default_locale"`           // for categories that name none; one of Locales
	FormerLocales []string `dynamo:"former_locales,omitempty"` // it has lost these; their categories stay
	Public        bool     `dynamo:"public,omitempty"`         // anybody may read its categories
	// Deleting means that [Store.Delete] has begun: nobody can use the portal any more.
	Deleting bool `dynamo:"deleting,omitempty"`
	// Clearing means that the deletion includes the categories, and cannot be taken back.
	Clearing bool `dynamo:"clearing,omitempty"`
	// CreatedAt has nanoseconds: it tells the portal from another one that gets its slug later.
	CreatedAt time.Time `dynamo:"created_at"`
}

// maxLocales keeps a portal's record small: every request of an agent or reader reads it.
const maxLocales = 200

// checkKey checks the account and the slug of a new portal. An existing portal keeps its slug, whatever the rules were
// when it was created.
func (p Portal) checkKey(f *api.Faults) {
	if p.Account < 1 || p.Account > id.Max {
		f.AddTo("account", "must be an integer from 1 to %d", id.Max)
	}
	if invisible.Blank(p.Slug) {
		f.Add("slug", "%s", ErrBlankSlug)
		return
	}
	if !norm.NFC.IsNormalString(p.Slug) {
		f.AddTo("slug", "must be in Unicode's normalization form C (NFC): two spellings of one would be two")
	}
	CheckSlug(f, p.Slug)
}

// normalize checks the locales, and sets a missing default locale to the first one. It writes the default locale as the
// list has it, and drops former locales that the portal has.
func (p *Portal) normalize(f *api.Faults) {
	switch {
	case len(p.Locales) == 0:
		f.Add("locales", "a portal needs at least one locale")
		return
	case len(p.Locales) > maxLocales:
		f.Add("locales", "a portal has at most %d locales", maxLocales)
		return
	}
	taken := map[string]string{} // the spelling of each locale
	for _, locale := range p.Locales {
		switch as, twice := taken[NormalLocale(locale)]; {
		case as == locale:
			f.Add("locales", "locale %s is given twice", locale)
		case twice:
			f.Add("locales", "locales %s and %s are one language twice: neither case nor - or _ make a difference",
				as, locale)
		case checkLocale(locale) != nil:
			f.Add("locales", "%s", checkLocale(locale))
		}
		taken[NormalLocale(locale)] = locale
	}
	spelling, offered := taken[NormalLocale(cmp.Or(p.DefaultLocale, p.Locales[0]))]
	if !offered {
		f.Add("default_locale", "the default locale %s is not one of the portal's %s", p.DefaultLocale, p.LocaleList())
	}
	p.DefaultLocale = spelling
	var former []string
	for _, locale := range p.FormerLocales {
		if err := checkLocale(locale); err != nil {
			f.Add("former_locales", "%s", err)
		}
		if _, known := taken[NormalLocale(locale)]; !known {
			taken[NormalLocale(locale)] = locale
			former = append(former, locale)
		}
	}
	p.FormerLocales = former
}

// CheckNew checks all of a new portal, and sets a missing default locale to the first one. One error names every rule
// that is broken.
func (p *Portal) CheckNew() error {
	var f api.Faults
	p.checkKey(&f)
	f.Check("name", invisible.CheckName(p.Name))
	p.normalize(&f)
	return f.Err()
}

// LocaleList returns the portal's locales as JSON: ["en","es"].
func (p Portal) LocaleList() string {
	list, _ := json.Marshal(p.Locales) // strings can be encoded
	return string(list)
}

// Key names the portal's partition of the table.
func (p Portal) Key() table.Portal { return table.Portal{Account: p.Account, Slug: p.Slug} }

// Require adds to a transaction the condition that the portal is the one that was read: it is not being deleted, and no
// other portal has got its slug since. Otherwise the transaction fails with unmet.
func (p Portal) Require(tx *table.Tx, unmet error) {
	tx.Check(tx.Table().CheckItem(p.Key().Key()).
		If("created_at = ? AND attribute_not_exists(deleting)", p.CreatedAt), unmet)
}
