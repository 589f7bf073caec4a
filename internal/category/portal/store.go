// Package portal keeps the portals of accounts and their members, and decides who may act on a portal: its members.
package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Portal is a help center of an account: it has the categories, and says in which locales.
type Portal struct {
	Account       id.ID
	Slug          string
	Name          string
	Locales       []string
	DefaultLocale string // of a category that names none; one of Locales
	CreatedAt     time.Time
}

// maxLocales keeps a portal's record small.
const maxLocales = 200

// localePattern is a language tag (RFC 5646) as usual in URLs: en, pt_BR, zh-Hant-TW.
var localePattern = regexp.MustCompile(`^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$`)

// normalize checks what an operator asks for. Without a default locale it is the first one.
func (p *Portal) normalize() error {
	var f api.Faults
	CheckSlug(&f, p.Slug)
	switch err := f.Err(); {
	case p.Account < 1 || p.Account > id.Max:
		return fmt.Errorf("account must be an integer from 1 to %d", id.Max)
	case strings.TrimSpace(p.Slug) == "":
		return ErrBlankSlug
	case err != nil:
		return err
	case strings.TrimSpace(p.Name) == "":
		return errors.New("name must not be blank")
	case len(p.Locales) == 0:
		return errors.New("a portal needs at least one locale")
	case len(p.Locales) > maxLocales:
		return fmt.Errorf("a portal has at most %d locales", maxLocales)
	}
	for i, locale := range p.Locales {
		if !localePattern.MatchString(locale) {
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

// LocaleList is the portal's locales as JSON: ["en","es"].
func (p Portal) LocaleList() string {
	list, _ := json.Marshal(p.Locales) // strings can be encoded
	return string(list)
}

// key names the portal's partition of the table.
func (p Portal) key() table.Portal { return table.Portal{Account: p.Account, Slug: p.Slug} }

// Record is a portal as the table holds it.
type Record struct {
	table.Key
	Account       id.ID     `dynamo:"account"`
	Slug          string    `dynamo:"slug"`
	Name          string    `dynamo:"name"`
	Locales       []string  `dynamo:"locales"`
	DefaultLocale string    `dynamo:"default_locale"`
	CreatedAt     time.Time `dynamo:"created_at"`
}

func (i Record) portal() Portal {
	return Portal{i.Account, i.Slug, i.Name, i.Locales, i.DefaultLocale, i.CreatedAt}
}

// Store stores portals and their members, for operators.
type Store struct{ Table table.Table }

// errStale is a write that met a portal that is no longer as it was read.
var errStale = errors.New("The category was changed by somebody else at the same time, please try again")

// ErrExists is in the error of a portal that was created before.
var ErrExists = errors.New("already")

// Create stores a new portal.
func (s Store) Create(ctx context.Context, p Portal) (Portal, error) {
	if err := p.normalize(); err != nil {
		return Portal{}, err
	}
	p.CreatedAt = time.Now().UTC().Truncate(time.Second)
	item := Record{p.key().Key(), p.Account, p.Slug, p.Name, p.Locales, p.DefaultLocale, p.CreatedAt}
	err := s.Table.Put(item).If("attribute_not_exists(PK)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return Portal{}, fmt.Errorf("account %d has a portal %s %w", p.Account, p.Slug, ErrExists)
	}
	if err != nil {
		return Portal{}, fmt.Errorf("put portal: %w", err)
	}
	return p, nil
}

// Update changes a portal's name, locales and default locale; what is empty stays, also what somebody else
// changes at the same time. Categories of a locale that the portal loses stay, too.
func (s Store) Update(ctx context.Context, change Portal) (Portal, error) {
	return table.Retry(ctx, errStale, func() (Portal, error) {
		before, err := s.Get(ctx, change.key())
		if err != nil {
			return Portal{}, err
		}
		after := before
		if change.Name != "" {
			after.Name = change.Name
		}
		if len(change.Locales) > 0 {
			after.Locales = change.Locales
			if !slices.Contains(after.Locales, after.DefaultLocale) {
				after.DefaultLocale = ""
			}
		}
		if change.DefaultLocale != "" {
			after.DefaultLocale = change.DefaultLocale
		}
		if err := after.normalize(); err != nil {
			return Portal{}, err
		}
		return after, s.replace(ctx, before, after)
	})
}

// replace writes what Update changes of a portal that still is as it was.
func (s Store) replace(ctx context.Context, before, after Portal) error {
	k := before.key().Key()
	err := s.Table.Update("PK", k.PK).Range("SK", k.SK).
		Set("name", after.Name).Set("locales", after.Locales).Set("default_locale", after.DefaultLocale).
		If("'name' = ? AND locales = ? AND default_locale = ?", before.Name, before.Locales, before.DefaultLocale).
		Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return errStale
	}
	if err != nil {
		return fmt.Errorf("update portal: %w", err)
	}
	return nil
}

// Get reads a portal.
func (s Store) Get(ctx context.Context, key table.Portal) (Portal, error) {
	var item Record
	items, err := s.Table.Read(ctx, key.Key())
	if err != nil {
		return Portal{}, err
	}
	found, err := items.Get(key.Key(), &item)
	if err == nil && !found {
		err = fmt.Errorf("account %d has no portal %s", key.Account, key.Slug)
	}
	return item.portal(), err
}

// List reads every portal, by account and slug. It scans the whole table: an operator's tool, not a
// request's.
func (s Store) List(ctx context.Context) ([]Portal, error) {
	var items []Record
	if err := s.Table.Scan().Filter("SK = ?", table.Portal{}.Key().SK).Consistent(true).All(ctx, &items); err != nil {
		return nil, fmt.Errorf("scan portals: %w", err)
	}
	slices.SortFunc(items, func(a, b Record) int {
		if a.PK < b.PK {
			return -1
		}
		return 1
	})
	portals := make([]Portal, len(items))
	for i, item := range items {
		portals[i] = item.portal()
	}
	return portals, nil
}

// AddMember makes a user a member of a portal. Both must exist; making it again changes nothing.
func (s Store) AddMember(ctx context.Context, portal table.Portal, user id.ID) error {
	tx := s.Table.Tx()
	tx.Check(s.check(portal.Key()), fmt.Errorf("account %d has no portal %s", portal.Account, portal.Slug))
	tx.Check(s.check(table.User(user)), fmt.Errorf("there is no user %d", user))
	tx.Put(s.Table.Put(Membership{portal.Member(user), user}), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("add member: %w", err)
	}
	return nil
}

// RemoveMember ends a membership, if there is one.
func (s Store) RemoveMember(ctx context.Context, portal table.Portal, user id.ID) error {
	k := portal.Member(user)
	if err := s.Table.Delete("PK", k.PK).Range("SK", k.SK).Run(ctx); err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}

func (s Store) check(k table.Key) *dynamo.ConditionCheck {
	return s.Table.Check("PK", k.PK).Range("SK", k.SK).IfExists()
}

// Membership is the record that a user is a member of a portal.
type Membership struct {
	table.Key
	User id.ID `dynamo:"user"`
}
