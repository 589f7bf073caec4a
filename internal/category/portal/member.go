package portal

import (
	"context"
	"fmt"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Membership is the record that a user is a member of a portal.
type Membership struct {
	table.Key
	User id.ID `dynamo:"user"`
}

// AddMember makes a user a member of a portal. Both must exist; making it again changes nothing.
func (s Store) AddMember(ctx context.Context, portal table.Portal, user id.ID) error {
	tx := s.Table.Tx()
	noPortal := fmt.Errorf("account %d has no portal %s", portal.Account, portal.Slug)
	tx.Check(s.Table.CheckItem(portal.Key()).IfExists(), noPortal)
	tx.Check(s.Table.CheckItem(table.User(user)).IfExists(), fmt.Errorf("there is no user %d", user))
	tx.Put(s.Table.Put(Membership{portal.Member(user), user}), nil)
	tx.Put(s.Table.Put(portal.Membership(user)), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("add member: %w", err)
	}
	return nil
}

// RemoveMember ends a membership, if there is one.
func (s Store) RemoveMember(ctx context.Context, portal table.Portal, user id.ID) error {
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(portal.Member(user)), nil)
	tx.Delete(s.Table.DeleteItem(portal.Membership(user)), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}

// Members reads who the members of a portal are, in the order of their ids.
func (s Store) Members(ctx context.Context, portal table.Portal) ([]id.ID, error) {
	if _, err := s.Get(ctx, portal); err != nil {
		return nil, err
	}
	members := portal.Member(0)
	page, err := table.Query[Membership](ctx, s.Table, members.PK, table.Users, 0)
	if err != nil {
		return nil, err
	}
	items, err := page.All(ctx)
	ids := make([]id.ID, len(items))
	for i, item := range items {
		ids[i] = item.User
	}
	return ids, err
}
