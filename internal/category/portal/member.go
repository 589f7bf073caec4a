package portal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Membership is the record that a user is a member of a portal.
type Membership struct {
	table.Key
	User id.ID `dynamo:"user"`
	App  id.ID `dynamo:"app,omitempty"` // the platform app that made it, 0 for an operator
	// CreatedAt is as exact as the clock: it tells the membership from another one of the same user. It is zero where
	// the record was lost, and made again by a repair.
	CreatedAt time.Time `dynamo:"created_at,omitempty"`
}

// Holds is the condition, for a transaction, that the membership is there still, and no other one in its place.
func (m Membership) Holds(t table.Table) *dynamo.ConditionCheck {
	if m.CreatedAt.IsZero() {
		return t.CheckItem(m.Key).If("attribute_exists(PK) AND attribute_not_exists(created_at)")
	}
	return t.CheckItem(m.Key).If("created_at = ?", m.CreatedAt)
}

// Join adds to a transaction that a user, who has to exist, is a member from now on. App is the platform app that asks
// for it, 0 for an operator. Already is the error of the transaction where the user is a member.
func (p Portal) Join(tx *table.Tx, user, app id.ID, already error) {
	t, key := tx.Table(), p.Key().Member(user)
	m := Membership{Key: key, User: user, App: app, CreatedAt: time.Now().UTC()}
	tx.Put(t.Put(m).If("attribute_not_exists(PK)"), already)
	tx.Put(t.Put(key.Mirror()), nil)
}

// Leave adds to a transaction that a user is no member any more, if the user was one.
func Leave(tx *table.Tx, portal table.Portal, user id.ID) {
	t, key := tx.Table(), portal.Member(user)
	tx.Delete(t.DeleteItem(key), nil)
	tx.Delete(t.DeleteItem(key.Mirror()), nil)
}

// errMember is for a user who is a member already.
var errMember = errors.New("the user is a member already")

// AddMember makes a user a member of a portal. Both must exist; making it again changes nothing.
func (s Store) AddMember(ctx context.Context, portal table.Portal, user id.ID) error {
	p, err := s.Get(ctx, portal)
	if err != nil {
		return err
	}
	tx := s.Table.Tx()
	p.Hold(tx, fmt.Errorf("%s was deleted at the same time", portal))
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

// Members reads the members of a portal, in the order of their ids.
func (s Store) Members(ctx context.Context, portal table.Portal) ([]Membership, error) {
	if _, err := s.Get(ctx, portal); err != nil {
		return nil, err
	}
	return s.members(ctx, portal)
}

func (s Store) members(ctx context.Context, portal table.Portal) ([]Membership, error) {
	page, err := table.Query[Membership](ctx, s.Table, portal.Member(0).PK, table.Users, 0)
	if err != nil {
		return nil, err
	}
	return page.All(ctx)
}

// CountMadeBy counts the memberships that a platform app made in the portals of an account, or of all accounts where
// that is 0. It reads the members of all those portals.
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
