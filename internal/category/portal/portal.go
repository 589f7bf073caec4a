// Package portal keeps the portals of accounts, and decides who may act on one: its members.
package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/visible"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/text/unicode/norm"
)

// Portal is a help center of an account. Each of its categories is in one of its locales.
type Portal struct {
	Account       id.ID
	Slug          string
	Name          string
	Locales       []string
	DefaultLocale string   // for categories that name none; one of Locales
	FormerLocales []string // it has lost these; their categories stay
	Public        bool     // anybody may read its categories
	Deleting      bool     // [Store.Delete] has begun: nobody can use it any more
	Clearing      bool     // the deletion includes the categories, and cannot be taken back
	CreatedAt     time.Time
}

// maxLocales keeps a portal's record small: every request of an agent or reader reads it.
const maxLocales = 200

// localePattern is a language tag (RFC 5646) as usual in URLs: en, pt_BR, zh-Hant-TW. It is compiled at its first use,
// because only operators need it and functions should start fast.
var localePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$`)
})

// checkKey checks the account and the slug of a new portal. An existing portal keeps its slug, whatever the rules were
// when it was created.
func (p Portal) checkKey() error {
	var f api.Faults
	CheckSlug(&f, p.Slug)
	switch err := f.Err(); {
	case p.Account < 1 || p.Account > id.Max:
		return fmt.Errorf("account must be an integer from 1 to %d", id.Max)
	case visible.Blank(p.Slug):
		return ErrBlankSlug
	case !norm.NFC.IsNormalString(p.Slug):
		return errors.New("slug must be in Unicode's normalization form C (NFC): two spellings of one would be two")
	default:
		return err
	}
}

// checkName checks a name that is given.
func checkName(name string) error {
	if err := visible.CheckName(name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	return nil
}

// normalize checks the locales, and sets a missing default locale to the first one.
func (p *Portal) normalize() error {
	switch {
	case len(p.Locales) == 0:
		return errors.New("a portal needs at least one locale")
	case len(p.Locales) > maxLocales:
		return fmt.Errorf("a portal has at most %d locales", maxLocales)
	}
	for i, locale := range p.Locales {
		if !localePattern().MatchString(locale) {
			return fmt.Errorf("%q is not a locale such as en or pt_BR", locale)
		}
		if slices.Contains(p.Locales[:i], locale) {
			return fmt.Errorf("locale %s is given twice", locale)
		}
	}
	if p.DefaultLocale == "" {
		p.DefaultLocale = p.Locales[0]
	}
	if !slices.Contains(p.Locales, p.DefaultLocale) {
		return fmt.Errorf("the default locale %s is not one of the portal's %s", p.DefaultLocale, p.LocaleList())
	}
	return nil
}

// CheckNew checks all of a new portal, and sets a missing default locale to the first one.
func (p *Portal) CheckNew() error {
	if err := p.checkKey(); err != nil {
		return err
	}
	for _, locale := range p.FormerLocales {
		if !localePattern().MatchString(locale) {
			return fmt.Errorf("%q is not a locale such as en or pt_BR", locale)
		}
	}
	if err := checkName(p.Name); err != nil {
		return err
	}
	return p.normalize()
}

// LocaleList returns the portal's locales as JSON: ["en","es"].
func (p Portal) LocaleList() string {
	list, _ := json.Marshal(p.Locales) // strings can be encoded
	return string(list)
}

// EveryLocale returns every locale that a category of the portal may have, with the former ones.
func (p Portal) EveryLocale() []string { return slices.Concat(p.Locales, p.FormerLocales) }

// Key names the portal's partition of the table.
func (p Portal) Key() table.Portal { return table.Portal{Account: p.Account, Slug: p.Slug} }

// Hold adds to a transaction the condition that the portal is the one that was read: it is not being deleted, and no
// other portal has got its slug since. Otherwise the transaction fails with otherwise.
func (p Portal) Hold(tx *table.Tx, otherwise error) {
	tx.Check(p.Holds(tx.Table()), otherwise)
}

// Holds returns the condition that [Portal.Hold] adds.
func (p Portal) Holds(t table.Table) *dynamo.ConditionCheck {
	return t.CheckItem(p.Key().Key()).If("created_at = ? AND attribute_not_exists(deleting)", p.CreatedAt)
}
