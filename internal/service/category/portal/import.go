package portal

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/internal/base/table"
)

// Import stores a portal from an export, with its former locales and its time of creation; the zero time means now. The
// error wraps [ErrExists] when the portal exists.
func (s Store) Import(ctx context.Context, p Portal) (Portal, error) {
	p.CreatedAt = importedTime(p.CreatedAt)
	return s.put(ctx, p)
}

// ImportMember makes a user a member of a portal that was read, since m.CreatedAt; the zero time means now. An existing
// membership stays as it is, and created is false.
func (s Store) ImportMember(ctx context.Context, p Portal, m Membership) (created bool, err error) {
	tx := s.Table.Tx()
	p.Require(tx, fmt.Errorf("%s was deleted at the same time", p.Key()))
	tx.Check(s.Table.CheckItem(table.User(m.User)).IfExists(), fmt.Errorf("there is no user %d", m.User))
	m.Key, m.CreatedAt = p.Key().Member(m.User), importedTime(m.CreatedAt)
	tx.Put(s.Table.Put(m).If("attribute_not_exists(PK)"), errMember)
	tx.Put(s.Table.Put(m.Key.Mirror()), nil)
	switch err := tx.Run(ctx); {
	case err == errMember:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("add member: %w", err)
	}
	return true, nil
}

// importedTime turns a time from an export into one for this table; the zero time means now. The time of creation tells
// a portal or membership from another one that takes its place later. So an item that is imported, deleted and imported
// again must not get the same time twice: the digits below a millisecond are random.
func importedTime(at time.Time) time.Time {
	if at.IsZero() {
		return time.Now().UTC()
	}
	return at.UTC().Truncate(time.Millisecond).Add(rand.N(time.Millisecond))
}
