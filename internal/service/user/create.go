package user

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"
)

// CreateFunction is the endpoint POST /platform/api/v1/users.
func (s *Service) CreateFunction() api.Function {
	email := func(in creation) Email { return in.email }
	return api.Function{Handle: forApps(s, decodeCreation, email, s.create), MaxBody: maxBody}
}

// creation is a request for a user with an e-mail address. The other fields count only when no user has the address.
type creation struct {
	email    Email
	wrong    error // with the address
	body     *api.Object
	warnings []string // one for each field that does not exist
}

func decodeCreation(r *api.Request) (creation, error) {
	o, err := Object(r)
	if err != nil {
		return creation{}, err
	}
	email, wrong := ParseEmail(o.String("email"))
	o.MarkKnown("name", "password", "password_hash", "custom_attributes")
	var f api.Faults
	checkBlocking(&f, o) // also of a user who exists: the app believes that the user cannot sign in
	return creation{email: email, wrong: wrong, body: o, warnings: o.Warnings(nil)}, cmp.Or(o.Err(), f.Err())
}

// errMayNotImport answers an app that gives the hash of a password without the permission to import hashes.
var errMayNotImport = api.Errorf(api.Forbidden,
	"password_hash may only be given by an app that its operator lets import hashes (--may-import-hashes)")

// details returns the fields of a new user, as the app gives them.
func (c creation) details(app platformapp.App) (Details, error) {
	d := Details{
		Name:             c.body.String("name"),
		Email:            c.body.String("email"),
		Password:         c.body.String("password"),
		PasswordHash:     c.body.String("password_hash"),
		CustomAttributes: c.body.RawObject("custom_attributes"),
	}
	if err := c.body.Err(); err != nil {
		return Details{}, err
	}
	if d.PasswordHash != "" && !app.MayImportHashes {
		return Details{}, errMayNotImport
	}
	return d, nil
}

// create makes a user, or finds the one that already has the e-mail address, and links the app to that user.
func (s *Service) create(ctx context.Context, r *api.Request, c caller, in creation) (api.Response, error) {
	u, _, err := s.findOrCreate(ctx, c.app.ID, in.email, c.items, func() (newUser, error) {
		d, err := in.details(c.app)
		if err != nil {
			return newUser{}, err
		}
		return s.checked(d, in.email, in.wrong)
	})
	if err != nil {
		return api.Response{}, err
	}
	u.Log(r)
	return api.Response{Body: userWithWarnings{u, in.warnings}}, nil
}

// Create makes a user of an app, or links the app to the user who already has the e-mail address. It is for operators.
func (s *Service) Create(ctx context.Context, app id.ID, d Details) (User, error) {
	u, _, err := s.CreateOrLink(ctx, app, d)
	return u, err
}

// CreateOrLink is [Service.Create], and reports whether the user is a new one.
func (s *Service) CreateOrLink(ctx context.Context, app id.ID, d Details) (u User, isNew bool, err error) {
	email, wrong := ParseEmail(d.Email)
	if wrong != nil {
		_, err := d.user(email, wrong)
		return User{}, false, err
	}
	items, err := s.Table.Read(ctx, email.Key())
	if err != nil {
		return User{}, false, err
	}
	return s.findOrCreate(ctx, app, email, items, func() (newUser, error) { return s.checked(d, email, nil) })
}

// newUser is a user that is to be created, with the hash of its password.
type newUser struct {
	User
	password string
}

// checked returns the new user of details whose address was parsed: wrong is what was found wrong with it.
func (s *Service) checked(d Details, email Email, wrong error) (newUser, error) {
	u, err := d.user(email, wrong)
	if err != nil {
		return newUser{}, err
	}
	password, err := s.storedHash(d)
	return newUser{u, password}, err
}

// findOrCreate links an app to the user of an e-mail address. When the items have no owner of the address, it creates
// the user. Only then does it call build, once, so an app that repeats a creation may leave out all other fields. It
// reports whether the user is a new one.
func (s *Service) findOrCreate(
	ctx context.Context, app id.ID, email Email, items table.Items, build func() (newUser, error),
) (u User, isNew bool, err error) {
	build = sync.OnceValues(build)
	var conflict error // with a transaction that may be creating the user
	read := func() (table.Items, error) { return s.Table.Read(ctx, email.Key()) }
	u, err = table.RetryFrom(ctx, errMoved, items, read, func(items table.Items) (u User, err error) {
		var owner Owner
		found, err := items.Get(email.Key(), &owner)
		switch {
		case err != nil:
			return User{}, err
		// Linking needs no details: the user keeps its own.
		case found:
			return s.linkOwner(ctx, app, owner.User, email)
		case conflict != nil:
			return User{}, conflict
		}
		created, err := build()
		if err != nil {
			return User{}, err
		}
		u, err = s.insert(ctx, app, email, created)
		if e, ok := errors.AsType[*api.Error](err); ok && e.Kind == api.Conflict && err != errMoved {
			conflict, err = err, errMoved
		}
		isNew = err == nil
		return u, err
	})
	return u, isNew, err
}

var errTaken = errors.New("the id is taken")

// insert writes a new user, the owner of its e-mail address, and the app's link, all or nothing. It returns errMoved
// when another request has created the user.
func (s *Service) insert(ctx context.Context, app id.ID, email Email, created newUser) (User, error) {
	now, u := s.Now(), created.User
	for {
		u.ID, u.CreatedAt, u.UpdatedAt = s.newID(), now, now
		tx := s.Table.Tx()
		owner := Owner{Key: email.Key(), User: u.ID, Password: created.password, Generation: u.Generation}
		tx.Put(s.Table.Put(owner).If("attribute_not_exists(PK)"), errMoved)
		tx.Put(u.put(s.Table), errTaken)
		putLink(tx, app, u.ID, now, errTaken)
		if err := tx.Run(ctx); err != errTaken {
			return u, err
		}
	}
}
