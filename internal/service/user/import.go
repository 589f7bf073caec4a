package user

// This file is for operators: no endpoint calls it.

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/foreignhash"
)

// Imported is a user from an export: with its times, and with the hash of its password.
type Imported struct {
	ID                   id.ID // 0 for a new one
	Name                 string
	Email                string
	CustomAttributes     json.RawMessage // an object; nil for the empty one
	PasswordHash         string          // from another program: see package foreignhash
	OwnPasswordHash      string          // from frontdesk; without any hash, the user signs in by login links only
	CreatedAt, UpdatedAt time.Time       // the zero time means now
}

// Check returns the user, without an id, and its e-mail address. One error names every rule that is broken.
func (i Imported) Check() (User, Email, error) {
	var f api.Faults
	checkName(&f, i.Name)
	email, err := ParseEmail(i.Email)
	if err != nil {
		f.Add("email", "Email %s", err)
	}
	u := User{Name: i.Name, Email: email.Sent, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt}
	u.CustomAttributes = newAttributes(&f, i.CustomAttributes)
	i.checkHashes(&f)
	return u, email, f.Err()
}

// HashParts splits what is stored of a password into our hash, or else the hash that another program has made.
func HashParts(stored string) (own, other string) {
	if other, ok := strings.CutPrefix(stored, foreign); ok {
		return "", other
	}
	return stored, ""
}

// checkHashes checks the hashes of a password against the rules.
func (i Imported) checkHashes(f *api.Faults) {
	if i.PasswordHash != "" && i.OwnPasswordHash != "" {
		f.Add("password_hash", "Password hash can't be given beside a frontdesk password hash")
	}
	if i.PasswordHash != "" {
		if _, err := foreignhash.Parse(i.PasswordHash); err != nil {
			f.Add("password_hash", "Password hash %s", err)
		}
	}
	if i.OwnPasswordHash != "" {
		if h, err := foreignhash.Parse(i.OwnPasswordHash); err != nil || h.Kind != "argon2id" {
			f.Add("frontdesk_password_hash", "Frontdesk password hash must be of argon2id, as frontdesk writes it")
		}
	}
}

// storedHash returns what is stored of the password. Without a hash it is one that no password matches. A hash that
// says it is ours, and costs something else, counts as another program's: the first sign-in replaces it. It would
// otherwise stay for good, and the time of each refusal would tell that this user exists.
func (i Imported) storedHash(s *Service) string {
	switch {
	case i.PasswordHash != "":
		return foreign + i.PasswordHash
	case i.OwnPasswordHash == "":
		return s.DummyHash()
	case s.hasOurCost(i.OwnPasswordHash):
		return i.OwnPasswordHash
	}
	return foreign + i.OwnPasswordHash
}

// FindAll reads the users of up to table.MaxItems e-mail addresses. The result has the normal forms of the addresses as
// its keys, and leaves out addresses without a user.
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
	// Addresses and users are two items each. A user who is deleted between the two reads is left out.
	users, err := s.Read(ctx, ids...)
	found := map[string]User{}
	for _, u := range users {
		found[owned[u.ID]] = u
	}
	return found, err
}

// Import creates a user without a link to an app. If a user has the e-mail address, it returns that user as it is, and
// created is false. The error says so when the user's own id is taken.
//
// The generation begins with the time. So a token of an earlier user of the same id, which ended with that user, does
// not fit: a change that raises the generation takes more than a millisecond.
func (s *Service) Import(ctx context.Context, i Imported) (u User, created bool, err error) {
	u, email, err := i.Check()
	if err != nil {
		return User{}, false, err
	}
	now := s.Now()
	u.Generation = now.UnixMilli()
	if u.CreatedAt.IsZero() {
		u.CreatedAt = now
	}
	// A user who was never changed has equal times.
	if u.UpdatedAt.IsZero() {
		u.UpdatedAt = u.CreatedAt
	}
	var there User
	_, err = table.Retry(ctx, errMoved, func() (struct{}, error) {
		u.ID, err = s.insertImported(ctx, u, email, i)
		if err != errMoved {
			return struct{}{}, err
		}
		found, err := s.FindAll(ctx, email)
		if err != nil {
			return struct{}{}, err
		}
		var exists bool
		there, exists = found[email.Normal()]
		if !exists {
			// Deleted again meanwhile.
			return struct{}{}, errMoved
		}
		return struct{}{}, nil
	})
	if there.ID != 0 {
		return there, false, err
	}
	return u, err == nil, err
}

// insertImported writes a new user, and the owner of its e-mail address, both or neither. It returns the user's id. The
// error is errMoved when another user has the address.
func (s *Service) insertImported(ctx context.Context, u User, email Email, i Imported) (id.ID, error) {
	for {
		u.ID = i.ID
		if u.ID == 0 {
			u.ID = s.newID()
		}
		tx := s.Table.Tx()
		owner := Owner{Key: email.Key(), User: u.ID, Password: i.storedHash(s), Generation: u.Generation}
		tx.Put(s.Table.Put(owner).If("attribute_not_exists(PK)"), errMoved)
		tx.Put(u.put(s.Table), errTaken)
		switch err := tx.Run(ctx); {
		case err == errTaken && i.ID == 0:
		case err == errTaken:
			return 0, fmt.Errorf("another user has the id %d", i.ID)
		default:
			return u.ID, err
		}
	}
}

// ImportLink links an existing app to a user, as of a time; the zero time means now. An existing link stays as it is,
// and created is false.
func (s *Service) ImportLink(ctx context.Context, app, user id.ID, at time.Time) (created bool, err error) {
	if at.IsZero() {
		at = s.Now()
	}
	tx := s.Table.Tx()
	tx.Check(s.Table.CheckItem(table.User(user)).IfExists(), fmt.Errorf("there is no user %d", user))
	putLink(tx, app, user, at, errLinked)
	err = tx.Run(ctx)
	if err == errLinked {
		return false, nil
	}
	return err == nil, err
}
