package user

import (
	"context"
	"errors"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// CreateFunction is the endpoint POST /platform/api/v1/users.
func (s *Service) CreateFunction() api.Function {
	return api.Function{Handle: s.create, MaxBody: maxBody}
}

// create makes a user, or finds the one that has the e-mail address already, and links the app to that user. Errors
// in the body are told only once the app is authenticated.
func (s *Service) create(ctx context.Context, r *api.Request) (api.Response, error) {
	c, err := appCredential(r)
	if err != nil {
		return api.Response{}, err
	}
	var email Email
	o, malformed := object(r)
	if malformed == nil {
		email, _ = ParseEmail(o.String("email")) // the check of the details tells the error
		malformed = o.Err()
	}
	items, err := s.Table.Read(ctx, table.App(c.ID), email.key())
	if err != nil {
		return api.Response{}, err
	}
	app, err := authenticateApp(c, items)
	if err != nil {
		return api.Response{}, err
	}
	app.log(r)
	if malformed != nil {
		return api.Response{}, malformed
	}
	u, err := s.findOrCreate(ctx, app.ID, email, items, func() (Details, error) {
		d := Details{Name: o.String("name"), Email: o.String("email"), Password: o.String("password")}
		return d, o.Err()
	})
	if err != nil {
		return api.Response{}, err
	}
	u.log(r)
	return api.Response{Body: u}, nil
}

// Create makes a user of an app, or links the app to the user who has the e-mail address already. It is for operators.
func (s *Service) Create(ctx context.Context, app id.ID, d Details) (User, error) {
	email, err := ParseEmail(d.Email)
	if err != nil {
		return User{}, d.check()
	}
	items, err := s.Table.Read(ctx, email.key())
	if err != nil {
		return User{}, err
	}
	return s.findOrCreate(ctx, app, email, items, func() (Details, error) { return d, nil })
}

// findOrCreate links an app to the user of an e-mail address. Where items have no owner of the address it creates the
// user; only then are the details looked at.
func (s *Service) findOrCreate(
	ctx context.Context, app id.ID, email Email, items table.Items, details func() (Details, error),
) (User, error) {
	if u, found, err := s.linkExisting(ctx, app, email, items); found || err != nil {
		return u, err
	}
	d, err := details()
	if err != nil {
		return User{}, err
	}
	if err := d.check(); err != nil {
		return User{}, err
	}
	password, err := s.hash(d.Password)
	if err != nil {
		return User{}, err
	}
	u, lost := s.insert(ctx, app, email, d.Name, password)
	if e, ok := errors.AsType[*api.Error](lost); !ok || e.Code != api.Conflict {
		return u, lost
	}
	// Another request has created the user meanwhile.
	if items, err = s.Table.Read(ctx, email.key()); err != nil {
		return User{}, err
	}
	u, found, err := s.linkExisting(ctx, app, email, items)
	if err == nil && !found {
		err = lost
	}
	return u, err
}

// linkExisting links an app to the owner of an e-mail address, if items have one, and reads that user at the same time.
func (s *Service) linkExisting(
	ctx context.Context, app id.ID, email Email, items table.Items,
) (u User, found bool, err error) {
	var owner ownerItem
	if found, err = items.Get(email.key(), &owner); !found || err != nil {
		return User{}, found, err
	}
	group := api.NewGroup() // one that fails does not stop the other half way
	group.Go(func() error { return s.link(ctx, app, owner.User) })
	group.Go(func() (err error) {
		u, err = s.get(ctx, owner.User)
		return err
	})
	err = group.Wait()
	return u, true, err
}

var (
	errOwned = api.Errorf(api.Conflict, "The user was created by another request, please try again")
	errTaken = errors.New("the id is taken")
)

// insert writes a new user, the ownership of the e-mail address and the app's link. Its error has the code
// [api.Conflict] where another request is about to create the user, or has.
func (s *Service) insert(ctx context.Context, app id.ID, email Email, name, password string) (User, error) {
	now := s.now()
	for {
		u := User{ID: s.newID(), Name: name, Email: email.Sent, CreatedAt: now, UpdatedAt: now}
		tx := s.Table.Tx()
		owner := ownerItem{email.key(), u.ID, password, u.generation}
		tx.Put(s.Table.Put(owner).If("attribute_not_exists(PK)"), errOwned)
		tx.Put(s.Table.Put(newUserItem(u)).If("attribute_not_exists(PK)"), errTaken)
		tx.Put(s.Table.Put(linkItem{table.PermissibleLink(app, u.ID), now}), nil)
		if err := tx.Run(ctx); err != errTaken {
			return u, err
		}
	}
}
