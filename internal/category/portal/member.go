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
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("add member: %w", err)
	}
	return nil
}

// RemoveMember ends a membership, if there is one.
func (s Store) RemoveMember(ctx context.Context, portal table.Portal, user id.ID) error {
	if err := s.Table.DeleteItem(portal.Member(user)).Run(ctx); err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	return nil
}
