// Package platformapp keeps platform apps, which are external applications that manage users, and their access tokens.
package platformapp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
)

// App is a platform app, an external application that manages users, as its record in the table has it.
type App struct {
	ID       id.ID  `dynamo:"id"`
	Name     string `dynamo:"name"` // only for the operator
	Digest   []byte `dynamo:"digest"`
	LoginURL string `dynamo:"login_url,omitempty"` // where its login links lead; "" means the stack's own page
	// MayImportHashes lets it create users with the hash of a password from another program.
	MayImportHashes bool `dynamo:"may_import_hashes,omitempty"`

	CreatedAt time.Time `dynamo:"created_at"`
	RevokedAt time.Time `dynamo:"revoked_at,omitempty"` // zero while its token is good
}

// ErrUnauthorized is the one answer to everything that an app may not do or that does not exist: a missing, malformed,
// unknown, wrong or revoked token, a user without a link, a user that does not exist, a malformed id.
var ErrUnauthorized = api.Errorf(api.Unauthorized,
	"api_access_token is missing or not valid, or does not permit this; "+
		"it takes a platform app's token (fdp_…) alone, without Bearer")

// Credential returns the credential that a request carries. It refuses a malformed one before anything is read.
func Credential(r *api.Request) (credential.Credential, error) {
	c, ok := credential.Parse(credential.PlatformApp, r.Token())
	if !ok {
		return credential.Credential{}, ErrUnauthorized
	}
	return c, nil
}

// Authenticate finds the app of a credential among the items that were read for a request. It refuses a wrong
// credential and a revoked app.
func Authenticate(c credential.Credential, items table.Items) (App, error) {
	var a App
	found, err := items.Get(table.App(c.ID), &a)
	if err != nil {
		return App{}, err
	}
	if !found || !c.Matches(a.Digest) || !a.RevokedAt.IsZero() {
		return App{}, ErrUnauthorized
	}
	return a, nil
}

// RequireToken adds to a transaction the condition that an app is not revoked and still has the token with this digest.
// Otherwise the transaction fails with unmet. So a revocation also stops requests under way.
func RequireToken(tx *table.Tx, app id.ID, digest []byte, unmet error) {
	tx.Check(tx.Table().CheckItem(table.App(app)).
		If("attribute_not_exists(revoked_at) AND digest = ?", digest), table.Final(unmet))
}

// Log adds the app's id to a request's log line.
func (a App) Log(r *api.Request) { r.Log(slog.Int64("app", int64(a.ID))) }

// Store keeps platform apps, for operators.
type Store struct{ Table table.Table }

// Create stores a new app with the name, the login address and the permission to import hashes of a. The text is the
// access token that the app sends with every request. It cannot be shown again, because only its digest is stored.
func (s Store) Create(ctx context.Context, a App) (created App, text string, err error) {
	if err := invisible.CheckName(a.Name); err != nil {
		return App{}, "", fmt.Errorf("name %w", err)
	}
	if err := checkLoginURL(a.LoginURL); err != nil {
		return App{}, "", err
	}
	a.ID, a.CreatedAt, a.RevokedAt = id.New(), time.Now().UTC().Truncate(time.Second), time.Time{}
	text, digest := credential.Mint(credential.PlatformApp, a.ID)
	a.Digest = digest[:]
	k := table.App(a.ID)
	record := struct {
		table.Key
		App
	}{k, a}
	// A taken id is an error and replaces no app; the operator calls again.
	if err := s.Table.PutListed(ctx, k, record, errors.New("its id is taken")); err != nil {
		return App{}, "", fmt.Errorf("put platform app: %w", err)
	}
	return a, text, nil
}

// List reads every app, also revoked ones, oldest first.
func (s Store) List(ctx context.Context) ([]App, error) {
	apps, err := table.ReadListed[App](ctx, s.Table, table.Apps)
	if err != nil {
		return nil, fmt.Errorf("list platform apps: %w", err)
	}
	return apps, nil
}

// Rotate gives an app a new token. The old one ends at once, and so do the login links that were made with it, because
// whoever had the token may have links, too. Users and permissible links stay.
func (s Store) Rotate(ctx context.Context, app id.ID) (rotated App, text string, err error) {
	key := table.App(app)
	items, err := s.Table.Read(ctx, key)
	if err != nil {
		return App{}, "", err
	}
	found, err := items.Get(key, &rotated)
	if err != nil {
		return App{}, "", err
	}
	gone := errGone(app)
	if !found {
		return App{}, "", gone
	}
	text, digest := credential.Mint(credential.PlatformApp, app)
	tx := s.Table.Tx() // a transaction's retries do not undo a later rotation
	tx.Update(s.Table.UpdateItem(key).Set("digest", digest[:]).
		If(notRevoked), table.Final(gone))
	switch err := tx.Run(ctx); {
	case err == gone:
		return App{}, "", gone
	case err != nil:
		return App{}, "", fmt.Errorf("rotate platform app: %w", err)
	}
	rotated.Digest = digest[:]
	return rotated, text, nil
}

// notRevoked is the condition of changes by operators. It never holds again: no app is deleted, and none is made again
// under its id.
const notRevoked = "attribute_exists(PK) AND attribute_not_exists(revoked_at)"

func errGone(app id.ID) error {
	return fmt.Errorf("there is no platform app %d, or it is revoked", app)
}

// Revoke ends an app's token for good, and the login links that the app asked for. Users and permissible links stay.
// Revoking twice changes nothing.
func (s Store) Revoke(ctx context.Context, app id.ID) (App, error) {
	return s.revoke(ctx, app, time.Now())
}

func (s Store) revoke(ctx context.Context, app id.ID, at time.Time) (App, error) {
	var a App
	found, err := s.Table.Revoke(ctx, table.App(app), at, &a)
	if err != nil {
		return App{}, err
	}
	if !found {
		return App{}, fmt.Errorf("there is no platform app %d", app)
	}
	return a, nil
}
