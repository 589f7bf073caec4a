package portal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Membership is the record that a user is a member of a portal.
type Membership struct {
	table.Key
	User id.ID `dynamo:"user"`
	App  id.ID `dynamo:"app,omitempty"` // the platform app that made it; 0 means an operator
	// CreatedAt has nanoseconds: it tells the membership from another one of the same user. It is zero when a repair
	// has made the record again after a loss.
	CreatedAt time.Time `dynamo:"created_at,omitempty"`
}

// Require adds to a transaction the condition that this very membership still exists, and no other one in its place.
// Otherwise the transaction fails with unmet.
func (m Membership) Require(tx *table.Tx, unmet error) {
	check := tx.Table().CheckItem(m.Key)
	if m.CreatedAt.IsZero() {
		tx.Check(check.If("attribute_exists(PK) AND attribute_not_exists(created_at)"), unmet)
		return
	}
	tx.Check(check.If("created_at = ?", m.CreatedAt), table.Final(unmet))
}

// Join adds a new membership to a transaction. The caller checks that the user exists. app is the platform app that
// asks for it, 0 for an operator. The transaction fails with already when the user is a member.
//
// A membership has two items: one in the portal's partition lists the portal's members, and its mirror in the user's
// lists the user's portals.
func (p Portal) Join(tx *table.Tx, user, app id.ID, already error) {
	t, key := tx.Table(), p.Key().Member(user)
	m := Membership{Key: key, User: user, App: app, CreatedAt: time.Now().UTC()}
	tx.Put(t.Put(m).If("attribute_not_exists(PK)"), already)
	tx.Put(t.Put(key.Mirror()), nil)
}

// Leave adds the end of a membership to a transaction. It is no error if the user is no member.
func Leave(tx *table.Tx, portal table.Portal, user id.ID) {
	t, key := tx.Table(), portal.Member(user)
	tx.Delete(t.DeleteItem(key), nil)
	tx.Delete(t.DeleteItem(key.Mirror()), nil)
}

// errMember is the error for a user who already is a member.
var errMember = errors.New("the user is a member already")

// AddMember makes a user a member of a portal. Both must exist. For a member it changes nothing.
func (s Store) AddMember(ctx context.Context, portal table.Portal, user id.ID) error {
	p, err := s.Get(ctx, portal)
	if err != nil {
		return err
	}
	tx := s.Table.Tx()
	p.Require(tx, fmt.Errorf("%s was deleted at the same time", portal))
	tx.Check(s.Table.CheckItem(table.User(user)).IfExists(), fmt.Errorf("there is no user %d", user))
	p.Join(tx, user, 0, errMember)
	if err := tx.Run(ctx); err != nil && err != errMember {
		return fmt.Errorf("add member: %w", err)
	}
	return nil
}

// RemoveMember ends a membership, if there is one.
func (s Store) RemoveMember(ctx context.Context, portal table.Portal, user id.ID) error {
	tx := s.Table.Tx()
	Leave(tx, portal, user)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}

// Members reads the members of a portal, sorted by their ids.
func (s Store) Members(ctx context.Context, portal table.Portal) ([]Membership, error) {
	if _, err := s.Get(ctx, portal); err != nil {
		return nil, err
	}
	return s.members(ctx, portal)
}

func (s Store) members(ctx context.Context, portal table.Portal) ([]Membership, error) {
	return table.QueryAll[Membership](ctx, s.Table, portal.Member(0).PK, table.Users)
}

// CountMadeBy counts the memberships that a platform app has made in the portals of an account, 0 for all accounts. It
// reads the members of all these portals.
func (s Store) CountMadeBy(ctx context.Context, app, account id.ID) (n int, err error) {
	portals, err := s.List(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range portals {
		if account != 0 && p.Account != account {
			continue
		}
		members, err := s.members(ctx, p.Key())
		if err != nil {
			return 0, err
		}
		for _, m := range members {
			if m.App == app {
				n++
			}
		}
	}
	return n, nil
}
