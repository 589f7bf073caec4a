package portal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/internal/table"
)

// Import stores a new portal as it was elsewhere, with its former locales and its time, zero for now. Its error has
// [ErrExists] where there is such a portal.
func (s Store) Import(ctx context.Context, p Portal) (Portal, error) {
	p.CreatedAt = importedTime(p.CreatedAt)
	return s.put(ctx, p)
}

// ImportMember makes a user a member of a portal that was read, as of a time, zero for now. A membership that is there
// stays as it is.
func (s Store) ImportMember(ctx context.Context, p Portal, m Membership) error {
	tx := s.Table.Tx()
	p.Hold(tx, fmt.Errorf("%s was deleted at the same time", p.Key()))
	tx.Check(s.Table.CheckItem(table.User(m.User)).IfExists(), fmt.Errorf("there is no user %d", m.User))
	m.Key, m.CreatedAt = p.Key().Member(m.User), importedTime(m.CreatedAt)
	tx.Put(s.Table.Put(m).If("attribute_not_exists(PK)"), errMember)
	tx.Put(s.Table.Put(m.Key.Mirror()), nil)
	if err := tx.Run(ctx); err != nil && err != errMember {
		return fmt.Errorf("add member: %w", err)
	}
	return nil
}

// importedTime is a time from elsewhere, zero for now, as one of this table. The times of portals and memberships tell
// each from another one that takes its place. So one that is imported twice, and deleted in between, has not the same
// time again: below its milliseconds it is random.
func importedTime(at time.Time) time.Time {
	if at.IsZero() {
		return time.Now().UTC()
	}
	return at.UTC().Truncate(time.Millisecond).Add(rand.N(time.Millisecond))
}
