package platformapp

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// Change is what changes of an app. A nil field stays as it is.
type Change struct {
	LoginURL        *string // where new login links lead; "" means the stack's own page
	MayImportHashes *bool
}

// Update changes an app that is not revoked, and returns the app after the change.
func (s Store) Update(ctx context.Context, app id.ID, c Change) (App, error) {
	key, gone := table.App(app), errGone(app)
	update := s.Table.UpdateItem(key).If(notRevoked)
	if c.LoginURL != nil {
		if err := checkLoginURL(*c.LoginURL); err != nil {
			return App{}, err
		}
		writeLoginURL(update, *c.LoginURL)
	}
	if c.MayImportHashes != nil {
		writeMayImportHashes(update, *c.MayImportHashes)
	}
	tx := s.Table.Tx() // a transaction's retries do not undo a later change
	tx.Update(update, table.Final(gone))
	switch err := tx.Run(ctx); {
	case err == gone:
		return App{}, gone
	case err != nil:
		return App{}, fmt.Errorf("change platform app %d: %w", app, err)
	}
	items, err := s.Table.Read(ctx, key)
	if err != nil {
		return App{}, err
	}
	var a App
	_, err = items.Get(key, &a)
	return a, err
}

// writeLoginURL adds a login address to an update of an app's record.
func writeLoginURL(u *dynamo.Update, address string) {
	if address == "" {
		u.Remove("login_url")
	} else {
		u.Set("login_url", address)
	}
}

// writeMayImportHashes adds to an update of an app's record whether the app may import hashes.
func writeMayImportHashes(u *dynamo.Update, may bool) {
	if may {
		u.Set("may_import_hashes", true)
	} else {
		u.Remove("may_import_hashes")
	}
}
