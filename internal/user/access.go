package user

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"
)

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

// linked is an app that sends a request by a credential, and the user that the path names, to whom the app is linked.
type linked struct {
	app        platformapp.App
	credential credential.Credential
	user       User
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
	return linked{read.app, c, u}, nil
}
