package portal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
)

// Store keeps portals and their members. Its methods are for operators; agents' requests do not use it.
type Store struct {
	Table table.Table
	// Settle is how long a deletion waits before it believes that nothing is left; 0 means a second. A transaction
	// takes milliseconds to show in all queries.
	Settle time.Duration
}

// errStale is the error of a write when the portal is no longer as it was read.
var errStale = errors.New("the portal was changed by somebody else at the same time, please try again")

// ErrExists is wrapped by the error for a portal that exists already.
var ErrExists = errors.New("already")

// Create stores a new portal. The error wraps [ErrExists] when the account has a portal with the slug.
func (s Store) Create(ctx context.Context, p Portal) (Portal, error) {
	p.FormerLocales, p.CreatedAt = nil, time.Now().UTC()
	return s.put(ctx, p)
}

// put checks a portal and stores it, with an entry in the directory of portals.
func (s Store) put(ctx context.Context, p Portal) (Portal, error) {
	if err := p.CheckNew(); err != nil {
		return Portal{}, err
	}
	k := p.Key().Key()
	record := struct {
		table.Key
		Portal
	}{k, p}
	exists := fmt.Errorf("account %d has a portal %s %w", p.Account, p.Slug, ErrExists)
	switch err := s.Table.PutListed(ctx, k, record, exists); {
	case err == exists:
		return Portal{}, exists
	case err != nil:
		return Portal{}, fmt.Errorf("put portal: %w", err)
	}
	return p, nil
}

// Update changes a portal's name, locales and default locale, and with public whether anybody may read it. Empty fields
// of change stay as they are, and so does what others change at the same time. Categories of a locale that the portal
// loses stay, too.
func (s Store) Update(ctx context.Context, change Portal, public *bool) (Portal, error) {
	return table.Retry(ctx, errStale, func() (Portal, error) {
		before, err := s.Get(ctx, change.Key())
		if err != nil {
			return Portal{}, err
		}
		var f api.Faults
		after := before
		if len(change.Locales) > 0 {
			after = before.withLocales(change.Locales)
		}
		if change.Name != "" {
			f.Check("name", invisible.CheckName(change.Name))
			after.Name = change.Name
		}
		if change.DefaultLocale != "" {
			after.DefaultLocale = change.DefaultLocale
		}
		if public != nil {
			after.Public = *public
		}
		after.normalize(&f)
		if err := f.Err(); err != nil {
			return Portal{}, err
		}
		return after, s.replace(ctx, before, after)
	})
}

// withLocales returns the portal with other locales. Those that it loses become former ones; normalize drops from the
// former ones what it has again. The old default is lost with its locale: normalize chooses the first of the new ones.
func (p Portal) withLocales(locales []string) Portal {
	p.FormerLocales, p.Locales = slices.Concat(p.Locales, p.FormerLocales), locales
	if !p.Offers(p.DefaultLocale) {
		p.DefaultLocale = ""
	}
	return p
}

// replace writes the fields that Update changes, on the condition that the portal is still as it was read.
func (s Store) replace(ctx context.Context, before, after Portal) error {
	u := s.Table.UpdateItem(before.Key().Key()).
		Set("name", after.Name).Set("locales", after.Locales).Set("default_locale", after.DefaultLocale).
		Set("former_locales", after.FormerLocales).
		If("'name' = ? AND locales = ? AND default_locale = ?", before.Name, before.Locales, before.DefaultLocale).
		If("created_at = ? AND attribute_not_exists(deleting)", before.CreatedAt)
	// The condition leaves public out, so that operators may change different fields at once. So only a change of it
	// is written.
	if after.Public != before.Public {
		u.Set("public", after.Public)
	}
	tx := s.Table.Tx() // a transaction's retries do not undo a later change
	tx.Update(u, errStale)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("update portal: %w", err)
	}
	return nil
}

// Get reads a portal. A portal that is being deleted is an error.
func (s Store) Get(ctx context.Context, key table.Portal) (Portal, error) {
	p, err := s.read(ctx, key)
	if err == nil && p.Deleting {
		err = errDeleting(key)
	}
	return p, err
}

// read reads a portal, also one that is being deleted.
func (s Store) read(ctx context.Context, key table.Portal) (Portal, error) {
	var p Portal
	items, err := s.Table.Read(ctx, key.Key())
	if err != nil {
		return Portal{}, err
	}
	found, err := items.Get(key.Key(), &p)
	if err == nil && !found {
		err = fmt.Errorf("account %d has no portal %s", key.Account, key.Slug)
	}
	return p, err
}

// List reads every portal, sorted by account and slug.
func (s Store) List(ctx context.Context) ([]Portal, error) {
	portals, err := table.ReadListed[Portal](ctx, s.Table, table.Portals)
	if err != nil {
		return nil, fmt.Errorf("list portals: %w", err)
	}
	return portals, nil
}
