package user

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// UpdateFunction is the endpoint PATCH /platform/api/v1/users/{user_id}, and PUT, which does the same.
func (s *Service) UpdateFunction() api.Function {
	return api.Function{Handle: forLinked(s, Object, s.update), MaxBody: maxBody}
}

// update changes the fields that are given, and warns of unknown ones. Without any field nothing changes.
func (s *Service) update(ctx context.Context, _ *api.Request, l linkedUser, body *api.Object) (api.Response, error) {
	c, err := decodeChanges(body, l.user)
	if err != nil {
		return api.Response{}, err
	}
	u, err := s.change(ctx, l.user, c, l.require)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: userWithWarnings{u, body.Warnings(nil)}}, nil
}

// changes are what is to change of a user. A nil field stays as it is.
type changes struct {
	name, password *string
	email          *Email
	attributes     *attributeChanges
}

// decodeChanges reads the changes that a request asks for. A field of a wrong type is an error by itself. Otherwise one
// error names every rule that the fields break. Null is the empty string, which the rules refuse as blank; for the
// attributes it removes all of them.
func decodeChanges(o *api.Object, u User) (c changes, err error) {
	var f api.Faults
	if o.Has("name") {
		c.name = new(o.String("name"))
		checkName(&f, *c.name)
	}
	if o.Has("email") {
		email, err := ParseEmail(o.String("email"))
		if err != nil {
			f.Add("email", "Email %s", err)
		}
		c.email = &email
	}
	if o.Has("password") {
		c.password = new(o.String("password"))
		// A password must be neither the old name or address nor the new one.
		checkPassword(&f, *c.password, u, c.apply(u, u.UpdatedAt))
	}
	if o.Has("password_hash") {
		f.Add("password_hash", "Password hash can only be given for a new user")
	}
	if o.Has("custom_attributes") {
		c.attributes = decodeAttributeChanges(&f, o.RawObject("custom_attributes"))
		c.checkMerged(&f, u)
	}
	checkBlocking(&f, o)
	return c, cmp.Or(o.Err(), f.Err())
}

// checkMerged refuses custom attributes that are too large together with those that the user keeps.
func (c changes) checkMerged(f *api.Faults, u User) {
	if c.attributes != nil && len(c.attributes.apply(u.CustomAttributes)) > MaxAttributes {
		f.Add("custom_attributes", "Custom attributes are too large with those that stay (maximum is %d bytes)",
			MaxAttributes)
	}
}

// SetEmail gives a user another e-mail address. It is for operators.
func (s *Service) SetEmail(ctx context.Context, user id.ID, email string) (User, error) {
	e, err := ParseEmail(email)
	if err != nil {
		return User{}, fmt.Errorf("e-mail address %w", err)
	}
	return s.changeByOperator(ctx, user, changes{email: &e})
}

// SetPassword gives a user another password, and ends its agent tokens and login links. It is for operators.
func (s *Service) SetPassword(ctx context.Context, user id.ID, password string) (User, error) {
	return s.changeByOperator(ctx, user, changes{password: &password})
}

func (s *Service) changeByOperator(ctx context.Context, user id.ID, c changes) (User, error) {
	u, err := s.get(ctx, user)
	if err != nil {
		return User{}, missing(user, err)
	}
	var f api.Faults
	if c.password != nil {
		checkPassword(&f, *c.password, u)
	}
	if err := f.Err(); err != nil {
		return User{}, err
	}
	u, err = s.change(ctx, u, c, requireNothing)
	return u, missing(user, err)
}

// change changes a user that was read, and returns the user as written. It returns [platformapp.ErrUnauthorized] when
// the user is gone, and errEmailTaken when another user has the e-mail address. A new password ends the user's agent
// tokens and login links. require adds further conditions to the transaction of a new password or address: whoever has
// one of the two has the user's access.
func (s *Service) change(ctx context.Context, u User, c changes, require func(*table.Tx)) (User, error) {
	if c == (changes{}) {
		return u, nil
	}
	var password string // its hash
	if c.password != nil {
		var err error
		password, err = s.hash(*c.password)
		if err != nil {
			return User{}, err
		}
	}
	return retry(ctx, s, u, func(u User) (User, error) {
		var f api.Faults
		c.checkMerged(&f, u) // again: others may have added attributes
		if err := f.Err(); err != nil {
			return User{}, err
		}
		after := c.apply(u, s.Now())
		return after, s.replace(ctx, u, after, c, password, require)
	})
}

// apply returns the user after the changes. UpdatedAt always rises, even when two changes come in one millisecond or
// from machines whose clocks differ, because it is the condition of the next write.
func (c changes) apply(u User, now time.Time) User {
	u.UpdatedAt = u.UpdatedAt.Add(time.Millisecond)
	if now.After(u.UpdatedAt) {
		u.UpdatedAt = now
	}
	if c.name != nil {
		u.Name = *c.name
	}
	if c.email != nil {
		u.Email = c.email.Sent
	}
	if c.password != nil {
		u.Generation++
	}
	if c.attributes != nil {
		u.CustomAttributes = c.attributes.apply(u.CustomAttributes)
	}
	return u
}

// write begins an update of the user's record that writes only the changed fields.
func (c changes) write(t table.Table, after User) *dynamo.Update {
	update := t.UpdateItem(table.User(after.ID)).Set("updated_at", after.UpdatedAt)
	if c.name != nil {
		update.Set("name", after.Name)
	}
	if c.email != nil {
		update.Set("email", after.Email)
	}
	if c.password != nil {
		update.Set("generation", after.Generation)
	}
	if c.attributes != nil && after.CustomAttributes == "" {
		update.Remove("custom_attributes")
	} else if c.attributes != nil {
		update.Set("custom_attributes", string(after.CustomAttributes))
	}
	return update
}

// EmailTaken is the code of the error when another user has the e-mail address.
const EmailTaken api.Code = "email_taken"

var errEmailTaken = &api.Error{
	Kind: api.Invalid, Code: EmailTaken, Message: "Email has already been taken", Attributes: []string{"email"},
}

// replace writes a user after changes. It returns errMoved when the user is no longer as it was read. It uses a
// transaction even for one item, because all retries of a transaction share a client token: a retry that arrives late
// cannot overwrite later changes. When the password or the address changes, the owner of the address changes with the
// user, both or neither. password is the new hash; "" keeps the old one.
func (s *Service) replace(
	ctx context.Context, before, after User, c changes, password string, require func(*table.Tx),
) error {
	tx := s.Table.Tx()
	ofOwner := c.password != nil || c.email != nil
	if ofOwner {
		require(tx)
	}
	tx.Update(c.write(s.Table, after).If(before.asRead()), table.Final(errMoved))
	if !ofOwner {
		return tx.Run(ctx)
	}
	from := OwnerKey(before.Email)
	to := from
	if c.email != nil {
		to = c.email.Key()
	}
	// The hash is stored with the address, so a new address alone moves it to another item.
	if password == "" && from != to {
		owner, err := s.readOwner(ctx, from, to, before.ID)
		if err != nil {
			return err
		}
		// Another request has changed the password between the two reads.
		if owner.Generation != before.Generation {
			return errMoved
		}
		password = owner.Password
	}
	owner := s.Table.Put(Owner{Key: to, User: after.ID, Password: password, Generation: after.Generation})
	switch {
	// The condition makes the address unique: two users cannot both create the item.
	case from != to:
		tx.Put(owner.If("attribute_not_exists(PK)"), errEmailTaken)
		tx.Delete(s.Table.DeleteItem(from).If("'user' = ?", before.ID), errMoved)
	case password != "":
		tx.Put(owner.If("'user' = ?", before.ID), errMoved)
	}
	return tx.Run(ctx)
}

// readOwner reads the owner of the address that a user has, and makes sure that the new address belongs to nobody.
func (s *Service) readOwner(ctx context.Context, from, to table.Key, user id.ID) (owner Owner, err error) {
	items, err := s.Table.Read(ctx, from, to)
	if err != nil {
		return owner, err
	}
	if taken, err := items.Get(to, &owner); taken || err != nil {
		if err == nil && owner.User == user {
			err = errMoved // another request has moved the user there
		}
		return owner, cmp.Or(err, error(errEmailTaken))
	}
	found, err := items.Get(from, &owner)
	if err == nil && (!found || owner.User != user) {
		err = errMoved
	}
	return owner, err
}
