package user

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
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

// caller is an app that sends a request, and what was read in the round trip that has authenticated it.
type caller struct {
	app   platformapp.App
	items table.Items
}

// forApps is an endpoint for all apps. Email is an e-mail address that an input names, whose owner is read in one round
// trip with the app.
func forApps[Input any](
	s *Service, decode func(*api.Request) (Input, error), email func(Input) Email,
	answer func(context.Context, *api.Request, caller, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, caller]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, in Input) (caller, error) {
			c, err := platformapp.Credential(r)
			if err != nil {
				return caller{}, err
			}
			return s.readCaller(ctx, r, c, email(in).Key())
		},
		Answer: answer,
	}.Handle
}

// readCaller authenticates the app of a credential, in one round trip with whatever else the request needs.
func (s *Service) readCaller(
	ctx context.Context, r *api.Request, c credential.Credential, more ...table.Key,
) (caller, error) {
	items, err := s.Table.Read(ctx, append(more, table.App(c.ID))...)
	if err != nil {
		return caller{}, err
	}
	app, err := platformapp.Authenticate(c, items)
	if err != nil {
		return caller{}, err
	}
	app.Log(r)
	return caller{app, items}, nil
}

// linked is an app that sends a request, and the user that the path names, to whom the app is linked.
type linked struct {
	app  credential.Credential
	user User
}

// forLinked is an endpoint on a user for the apps that are linked to that user.
func forLinked[Input any](
	s *Service, decode func(*api.Request) (Input, error),
	answer func(context.Context, *api.Request, linked, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, linked]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, _ Input) (linked, error) {
			return s.authorize(ctx, r)
		},
		Answer: answer,
	}.Handle
}

// authorize finds the user that a request's path names, for an app that is linked to that user, all in one round trip.
// In every other case it gives the same error, so that an app learns nothing of users that it is not linked to, not
// even whether they exist.
func (s *Service) authorize(ctx context.Context, r *api.Request) (linked, error) {
	c, err := platformapp.Credential(r)
	if err != nil {
		return linked{}, err
	}
	userID, ok := id.Parse(r.PathParameters["user_id"])
	if !ok {
		return linked{}, platformapp.ErrUnauthorized
	}
	read, err := s.readCaller(ctx, r, c, table.PermissibleLink(c.ID, userID), table.User(userID))
	if err != nil {
		return linked{}, err
	}
	u, isLinked, err := linkedIn(read.items, c.ID, userID)
	if err != nil {
		return linked{}, err
	}
	if !isLinked {
		return linked{}, platformapp.ErrUnauthorized
	}
	u.Log(r)
	return linked{c, u}, nil
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
