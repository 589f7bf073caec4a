package user

import (
	"context"
	"errors"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// PermissibleLink is the record that an app is linked to a user: it may read, change and delete the user. Only
// operators see its time.
type PermissibleLink struct {
	table.Key
	User      id.ID     `dynamo:"user"`
	CreatedAt time.Time `dynamo:"created_at"`
}

// App returns the app that is linked. Its id is in the key, with leading zeros so that keys sort by it.
func (l PermissibleLink) App() id.ID {
	app, _ := id.Parse(strings.TrimLeft(strings.TrimPrefix(l.PK, table.PermissibleLinks), "0"))
	return app
}

// linkedIn finds a user among items that were read, and whether the app is linked to it.
func linkedIn(items table.Items, app, user id.ID) (u User, linked bool, err error) {
	found, err := items.Get(table.User(user), &u)
	_, linked = items[table.PermissibleLink(app, user)]
	return u, found && linked, err
}

// readLinked reads a user, and whether the app is linked to it.
func (s *Service) readLinked(ctx context.Context, app, user id.ID) (u User, linked bool, err error) {
	items, err := s.Table.Read(ctx, table.PermissibleLink(app, user), table.User(user))
	if err != nil {
		return User{}, false, err
	}
	return linkedIn(items, app, user)
}

// linkOwner links an app to the user who has an e-mail address. It returns errMoved when another user has the address
// by now.
func (s *Service) linkOwner(ctx context.Context, app, user id.ID, email Email) (User, error) {
	u, linked, err := s.readLinked(ctx, app, user)
	switch {
	case err != nil:
		return User{}, err
	case OwnerKey(u.Email) != email.Key():
		return User{}, errMoved
	case linked:
		return u, nil
	}
	tx := s.Table.Tx()
	tx.Check(s.Table.CheckItem(table.User(user)).If(u.asRead()), table.Final(errMoved))
	putLink(tx, app, user, s.Now(), errLinked)
	if err := tx.Run(ctx); err != nil && err != errLinked {
		return User{}, err
	}
	return u, nil
}

var (
	errMoved  = api.Errorf(api.Conflict, "The user was changed by another request, please try again")
	errLinked = errors.New("the app is linked to the user already")
)

// putLink adds a link to a transaction, which fails with exists when the link exists. The transaction must create the
// user, or have the condition that the user exists.
func putLink(tx *table.Tx, app, user id.ID, now time.Time, exists error) {
	t, key := tx.Table(), table.PermissibleLink(app, user)
	tx.Put(t.Put(PermissibleLink{key, user, now}).If("attribute_not_exists(PK)"), exists)
	tx.Put(t.Put(key.Mirror()), nil)
}
