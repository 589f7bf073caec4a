package user

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"
)

// caller is an app that sends a request, with all that the round trip of its authentication has read.
type caller struct {
	app   platformapp.App
	items table.Items
}

// forApps makes an endpoint for all apps. email returns the e-mail address that an input names; its owner is read in
// the same round trip as the app.
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

// readCaller authenticates the app of a credential. The same round trip reads whatever else the request needs.
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

// linkedUser is an app that sends a request with a credential, and the user in the path, to whom the app is linked.
type linkedUser struct {
	app        platformapp.App
	credential credential.Credential
	user       User
}

// require adds to a transaction the conditions that the app is not revoked, still has this token and is still linked to
// the user. Otherwise the transaction fails with [platformapp.ErrUnauthorized]. So a revocation also stops a request
// under way.
func (l linkedUser) require(tx *table.Tx) {
	platformapp.RequireToken(tx, l.app.ID, l.credential.Digest[:], platformapp.ErrUnauthorized)
	tx.Check(tx.Table().CheckItem(table.PermissibleLink(l.app.ID, l.user.ID)).IfExists(), platformapp.ErrUnauthorized)
}

// requireNothing stands for [linkedUser.require] in a change by an operator, whom nothing has to permit it.
func requireNothing(*table.Tx) {}

// forLinked makes an endpoint on a user, for the apps that are linked to that user.
func forLinked[Input any](
	s *Service, decode func(*api.Request) (Input, error),
	answer func(context.Context, *api.Request, linkedUser, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, linkedUser]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, _ Input) (linkedUser, error) {
			return s.authorize(ctx, r)
		},
		Answer: answer,
	}.Handle
}

// authorize finds the user that a request's path names, for an app that is linked to that user, in one round trip. In
// every other case it returns the same error. So an app learns nothing of users that it is not linked to, not even
// whether they exist.
func (s *Service) authorize(ctx context.Context, r *api.Request) (linkedUser, error) {
	c, err := platformapp.Credential(r)
	if err != nil {
		return linkedUser{}, err
	}
	userID, ok := id.Parse(r.PathParameters["user_id"])
	if !ok {
		return linkedUser{}, platformapp.ErrUnauthorized
	}
	read, err := s.readCaller(ctx, r, c, table.PermissibleLink(c.ID, userID), table.User(userID))
	if err != nil {
		return linkedUser{}, err
	}
	u, isLinked, err := linkedIn(read.items, c.ID, userID)
	if err != nil {
		return linkedUser{}, err
	}
	if !isLinked {
		return linkedUser{}, platformapp.ErrUnauthorized
	}
	u.Log(r)
	return linkedUser{read.app, c, u}, nil
}
