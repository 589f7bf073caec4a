// Package portal keeps the portals of accounts, and decides who may act on one: its members.
package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/text/unicode/norm"
)

// Portal is a help center of an account. Its categories are in its locales.
type Portal struct {
	Account       id.ID
	Slug          string
	Name          string
	Locales       []string
	DefaultLocale string   // of a category that names none; one of Locales
	FormerLocales []string // which it has no longer; categories of them stay
	Public        bool     // whether anybody may read its categories
	Deleting      bool     // whether [Store.Delete] has begun: it is nobody's any more
	Clearing      bool     // whether its categories are deleted, too: it is not kept any more
	CreatedAt     time.Time
}

// maxLocales keeps a portal's record small.
const maxLocales = 200

// localePattern is a language tag (RFC 5646) as usual in URLs: en, pt_BR, zh-Hant-TW. It is compiled for whoever
// creates a portal, which no function does at its start.
var localePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$`)
})

// checkKey checks the account and the slug of a new portal. Of one that exists they stay as they are, whatever was
// allowed then.
func (p Portal) checkKey() error {
	var f api.Faults
	CheckSlug(&f, p.Slug)
	switch err := f.Err(); {
	case p.Account < 1 || p.Account > id.Max:
		return fmt.Errorf("account must be an integer from 1 to %d", id.Max)
	case strings.TrimSpace(p.Slug) == "":
		return ErrBlankSlug
	case !norm.NFC.IsNormalString(p.Slug):
		return errors.New("slug must be in Unicode's normalization form C (NFC): two spellings of one would be two")
	default:
		return err
	}
}

// normalize checks what else an operator asks for. The default locale is the first one, unless it is given.
func (p *Portal) normalize() error {
	switch {
	case strings.TrimSpace(p.Name) == "":
		return errors.New("name must not be blank")
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

// CheckNew checks all of a new portal. The default locale is the first one, unless it is given.
func (p *Portal) CheckNew() error {
	if err := p.checkKey(); err != nil {
		return err
	}
	for _, locale := range p.FormerLocales {
		if !localePattern().MatchString(locale) {
			return fmt.Errorf("%q is not a locale such as en or pt_BR", locale)
		}
	}
	return p.normalize()
}

// LocaleList is the portal's locales as JSON: ["en","es"].
func (p Portal) LocaleList() string {
	list, _ := json.Marshal(p.Locales) // strings can be encoded
	return string(list)
}

// EveryLocale is every locale that a category of the portal may be in.
func (p Portal) EveryLocale() []string { return slices.Concat(p.Locales, p.FormerLocales) }

// Key names the portal's partition of the table.
func (p Portal) Key() table.Portal { return table.Portal{Account: p.Account, Slug: p.Slug} }

// Hold adds to a transaction that the portal is the one that was read: it is not being deleted, and no other one has
// got its slug since. Otherwise is the error of the transaction where that is not so.
func (p Portal) Hold(tx *table.Tx, otherwise error) {
	tx.Check(p.Holds(tx.Table()), otherwise)
}

// Holds is the condition of [Portal.Hold].
func (p Portal) Holds(t table.Table) *dynamo.ConditionCheck {
	return t.CheckItem(p.Key().Key()).If("created_at = ? AND attribute_not_exists(deleting)", p.CreatedAt)
}
