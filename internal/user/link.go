package user

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"
)

// PermissibleLink is the record of a permissible link, which exists or not. Its time is for operators.
type PermissibleLink struct {
	table.Key
	User      id.ID     `dynamo:"user"`
	CreatedAt time.Time `dynamo:"created_at"`
}

// readApp authenticates the app of a request, in one round trip with whatever else the request needs.
func (s *Service) readApp(
	ctx context.Context, r *api.Request, more ...table.Key,
) (platformapp.App, table.Items, error) {
	c, err := platformapp.Credential(r)
	if err != nil {
		return platformapp.App{}, nil, err
	}
	items, err := s.Table.Read(ctx, append(more, table.App(c.ID))...)
	if err != nil {
		return platformapp.App{}, nil, err
	}
	app, err := platformapp.Authenticate(c, items)
	if err != nil {
		return platformapp.App{}, nil, err
	}
	app.Log(r)
	return app, items, nil
}

// authorize finds the user that a request's path names, for an app that is linked to that user, all in one round trip.
// In every other case it gives the same error, so that an app learns nothing of users that it is not linked to, not
// even whether they exist.
func (s *Service) authorize(ctx context.Context, r *api.Request) (User, error) {
	c, err := platformapp.Credential(r)
	if err != nil {
		return User{}, err
	}
	userID, ok := id.Parse(r.PathParameters["user_id"])
	if !ok {
		return User{}, platformapp.ErrUnauthorized
	}
	_, items, err := s.readApp(ctx, r, table.PermissibleLink(c.ID, userID), table.User(userID))
	if err != nil {
		return User{}, err
	}
	u, linked, err := linkedIn(items, c.ID, userID)
	if err != nil {
		return User{}, err
	}
	if !linked {
		return User{}, platformapp.ErrUnauthorized
	}
	u.Log(r)
	return u, nil
}

// linkedIn finds a user among items that were read, and whether an app is linked to it.
func linkedIn(items table.Items, app, user id.ID) (u User, linked bool, err error) {
	u, found, err := In(items, user)
	_, linked = items[table.PermissibleLink(app, user)]
	return u, found && linked, err
}

// readLinked reads a user, and whether an app is linked to it.
func (s *Service) readLinked(ctx context.Context, app, user id.ID) (u User, linked bool, err error) {
	items, err := s.Table.Read(ctx, table.PermissibleLink(app, user), table.User(user))
	if err != nil {
		return User{}, false, err
	}
	return linkedIn(items, app, user)
}

// Log adds to a request's log line which user the request is about.
func (u User) Log(r *api.Request) { r.Log(slog.Int64("user", int64(u.ID))) }

// linkOwner links an app to the user who has an e-mail address. Its error is errMoved where that is no longer the user
// who had it when it was read.
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
	tx.Check(s.Table.CheckItem(table.User(user)).If("email = ?", u.Email), errMoved)
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

// putLink adds a link to a transaction, which fails with exists where there is one. It is for a user whom the
// transaction creates, or on whose existence it depends.
func putLink(tx *table.Tx, app, user id.ID, now time.Time, exists error) {
	t, key := tx.Table(), table.PermissibleLink(app, user)
	tx.Put(t.Put(PermissibleLink{key, user, now}).If("attribute_not_exists(PK)"), exists)
	tx.Put(t.Put(key.Mirror()), nil)
}
