package platformapp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Grant is the record that lets an app keep the members of all portals of an account.
type Grant struct {
	table.Key
	App     id.ID `dynamo:"app"`
	Account id.ID `dynamo:"account"`
	// CreatedAt has nanoseconds: it tells the grant from a later one that is made after a revocation.
	CreatedAt time.Time `dynamo:"created_at"`
}

// Require adds to a transaction the condition that this very grant still exists. Otherwise the transaction fails with
// unmet.
func (g Grant) Require(tx *table.Tx, unmet error) {
	tx.Check(tx.Table().CheckItem(g.Key).If("created_at = ?", g.CreatedAt), table.Final(unmet))
}

// Grant lets an app keep the members of an account's portals. Granting twice changes nothing.
func (s Store) Grant(ctx context.Context, app, account id.ID) error {
	if account < 1 || account > id.Max {
		return fmt.Errorf("account must be an integer from 1 to %d", id.Max)
	}
	already := errors.New("the app has the grant already")
	key := table.Grant(app, account)
	tx := s.Table.Tx()
	tx.Check(s.Table.CheckItem(table.App(app)).If(notRevoked), table.Final(errGone(app)))
	tx.Put(s.Table.Put(Grant{Key: key, App: app, Account: account, CreatedAt: time.Now().UTC()}).
		If("attribute_not_exists(PK)"), already)
	if err := tx.Run(ctx); err != nil && err != already {
		return fmt.Errorf("grant: %w", err)
	}
	return nil
}

// RevokeGrant ends a grant, if there is one. The memberships that the app made stay.
func (s Store) RevokeGrant(ctx context.Context, app, account id.ID) error {
	tx := s.Table.Tx()
	tx.Check(s.Table.CheckItem(table.App(app)).IfExists(), fmt.Errorf("there is no platform app %d", app))
	endGrant(tx, app, account)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("revoke grant: %w", err)
	}
	return nil
}

// endGrant adds the end of a grant to a transaction. It is no error if there is none.
func endGrant(tx *table.Tx, app, account id.ID) {
	tx.Delete(tx.Table().DeleteItem(table.Grant(app, account)), nil)
}

// Grants reads the grants of an app, sorted by account.
func (s Store) Grants(ctx context.Context, app id.ID) ([]Grant, error) {
	return table.QueryAll[Grant](ctx, s.Table, table.Grant(app, 0).PK, table.Accounts)
}
