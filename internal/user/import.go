package user

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/alexedwards/argon2id"
)

// Imported is a user as an import brings it: with its times, and with the hash of its password.
type Imported struct {
	Name                 string
	Email                string
	CustomAttributes     json.RawMessage // an object; nil for the empty one
	PasswordHash         string          // "" for none: the user signs in by a login link
	CreatedAt, UpdatedAt time.Time       // zero for now
}

// Check gives the user, without an id, and its e-mail address, or every rule that it breaks, as one error.
func (i Imported) Check() (User, Email, error) {
	var f api.Faults
	checkName(&f, i.Name)
	email, err := ParseEmail(i.Email)
	if err != nil {
		f.Add("email", "Email %s", err)
	}
	u := User{Name: i.Name, Email: email.Sent, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt}
	u.CustomAttributes = newAttributes(&f, i.CustomAttributes)
	if i.PasswordHash != "" {
		checkHash(&f, i.PasswordHash)
	}
	return u, email, f.Err()
}

// What a hash may cost that somebody else has made, in KiB and in passes: it is computed at every sign-in.
const (
	maxHashMemory = 64 << 10
	maxHashPasses = 3
)

// checkHash refuses a hash that no password could be compared with, or at too high a price.
func checkHash(f *api.Faults, hash string) {
	p, _, key, err := argon2id.DecodeHash(hash)
	if err != nil || len(key) == 0 || p.Parallelism < 1 || p.Iterations < 1 || p.Iterations > maxHashPasses ||
		p.Memory > maxHashMemory {
		f.Add("password_hash", "Password hash must be of argon2id, with at most %d KiB and %d passes",
			maxHashMemory, maxHashPasses)
	}
}

// FindAll reads the users of e-mail addresses, table.MaxItems at most, by the normal forms of these. An address without
// a user is left out.
func (s *Service) FindAll(ctx context.Context, emails ...Email) (map[string]User, error) {
	keys := make([]table.Key, len(emails))
	for i, e := range emails {
		keys[i] = e.Key()
	}
	items, err := s.Table.Read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	owned := map[id.ID]string{}
	var ids []id.ID
	for i, e := range emails {
		var owner Owner
		found, err := items.Get(keys[i], &owner)
		if err != nil {
			return nil, err
		}
		if found {
			owned[owner.User] = e.Normal()
			ids = append(ids, owner.User)
		}
	}
	users, err := s.Read(ctx, ids...)
	found := map[string]User{}
	for _, u := range users {
		found[owned[u.ID]] = u
	}
	return found, err
}

// Import creates a user, without a link to an app. Its error is of kind api.Conflict where another user has the
// address.
func (s *Service) Import(ctx context.Context, i Imported) (User, error) {
	u, email, err := i.Check()
	if err != nil {
		return User{}, err
	}
	if u.CreatedAt.IsZero() {
		u.CreatedAt = s.Now()
	}
	if u.UpdatedAt.IsZero() {
		u.UpdatedAt = u.CreatedAt
	}
	hash := i.PasswordHash
	if hash == "" {
		hash = s.DummyHash()
	}
	for {
		u.ID = s.newID()
		tx := s.Table.Tx()
		owner := Owner{Key: email.Key(), User: u.ID, Password: hash, Generation: u.Generation}
		tx.Put(s.Table.Put(owner).If("attribute_not_exists(PK)"), errMoved)
		tx.Put(s.Table.Put(newRecord(u)).If("attribute_not_exists(PK)"), errTaken)
		if err := tx.Run(ctx); err != errTaken {
			return u, err
		}
	}
}

// ImportChanges gives a user that was read another name and other custom attributes.
func (s *Service) ImportChanges(ctx context.Context, read User, name string, attributes Attributes) (User, error) {
	u, err := s.change(ctx, read, changes{name: &name, attributes: &attributeChanges{clear: true, given: attributes}})
	return u, missing(read.ID, err)
}

// ImportLink links an app, which exists, to a user as of a time, zero for now. A link that is there stays as it is.
func (s *Service) ImportLink(ctx context.Context, app, user id.ID, at time.Time) error {
	if at.IsZero() {
		at = s.Now()
	}
	tx := s.Table.Tx()
	tx.Check(s.Table.CheckItem(table.User(user)).IfExists(), fmt.Errorf("there is no user %d", user))
	putLink(tx, app, user, at, errLinked)
	err := tx.Run(ctx)
	if err == errLinked {
		return nil
	}
	return err
}
