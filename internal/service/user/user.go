// Package user keeps the users that platform apps manage. An app creates users, and changes and deletes those that it
// has a permissible link to. It also gets links by which they sign in. Signing in gives an agent token.
//
// A user has records that appear together or not at all: the user itself, the owner of its e-mail address with the hash
// of the password, and the link of the app that created it, which is stored from both sides. Whoever uses or writes
// another record of a user has the condition that the user's own record exists. So deleting that one ends all others.
//
// Functions whose comments say that they are for operators serve the tool: no endpoint calls them.
//
// Each file has one concept. access.go says who may act. An endpoint is the file of its verb, such as create.go.
package user

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"

	"github.com/guregu/dynamo/v2"
)

// Limits of a user's fields, in characters. That of an e-mail address is address.Max.
const (
	MaxName     = 255
	MinPassword = 8
	MaxPassword = 128
)

// User is a person who signs in: as apps get it in JSON, and as its record in the table has it.
type User struct {
	ID        id.ID     `json:"id" dynamo:"id" show:"id"`
	Name      string    `json:"name" dynamo:"name" show:"name"`
	Email     string    `json:"email" dynamo:"email" show:"email"` // in the spelling that was sent when it was set
	CreatedAt time.Time `json:"created_at" dynamo:"created_at" show:"created,day"`
	UpdatedAt time.Time `json:"updated_at" dynamo:"updated_at" show:"updated,row"`

	// CustomAttributes are absent in the table when they are the empty object.
	CustomAttributes Attributes `json:"custom_attributes" dynamo:"custom_attributes,omitempty" show:"custom,row"`

	// Generation says which tokens are good. Raising it ends all of the user's agent tokens and login links at once.
	// The owner of the e-mail address repeats it.
	Generation int64 `json:"-" dynamo:"generation"`
}

// userWithWarnings is the answer to a request that creates or changes a user.
type userWithWarnings struct {
	User
	Warnings []string `json:"warnings,omitempty"` // one for each field of the request that does not exist
}

// Log adds the user's id to a request's log line.
func (u User) Log(r *api.Request) { r.Log(slog.Int64("user", int64(u.ID))) }

// Details are the fields of a new user.
type Details struct {
	Name             string
	Email            string
	Password         string
	PasswordHash     string          // instead of the password: see package foreignhash
	CustomAttributes json.RawMessage // an object; nil for the empty one
}

// user returns the new user. One error names every rule that the details break; wrong is what the address breaks.
func (d Details) user(email Email, wrong error) (User, error) {
	var f api.Faults
	checkName(&f, d.Name)
	if wrong != nil {
		f.Add("email", "Email %s", wrong)
	}
	u := User{Name: d.Name, Email: email.Sent}
	if d.PasswordHash == "" {
		checkPassword(&f, d.Password, u)
	} else {
		checkPasswordHash(&f, d)
	}
	u.CustomAttributes = newAttributes(&f, d.CustomAttributes)
	return u, f.Err()
}

func checkName(f *api.Faults, name string) {
	if invisible.Blank(name) {
		f.Add("name", "Name can't be blank")
		return
	}
	if utf8.RuneCountInString(name) > MaxName {
		f.Add("name", "Name is too long (maximum is %d characters)", MaxName)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		f.Add("name", "Name must not contain control characters")
	}
	if invisible.CutEnds(name) != name {
		f.Add("name", "Name must not begin or end with invisible characters")
	}
}

// put begins a put of a new user, on the condition that its id is free.
func (u User) put(t table.Table) *dynamo.Put {
	return t.Put(struct {
		table.Key
		User
	}{table.User(u.ID), u}).If("attribute_not_exists(PK)")
}

// asRead is the condition that a user is still as it was read. It never holds again once it has failed: every change
// raises the time or the generation, and a user who is imported under the id of a deleted one has a generation above
// all of that one. The address alone would come back.
func (u User) asRead() (condition, email string, generation int64, updatedAt time.Time) {
	return "email = ? AND generation = ? AND updated_at = ?", u.Email, u.Generation, u.UpdatedAt
}

// Read reads up to 100 users, the most of one batch. It leaves out those that do not exist.
func (s *Service) Read(ctx context.Context, ids ...id.ID) ([]User, error) {
	users := make([]User, 0, len(ids))
	keys := make([]table.Key, len(ids))
	for i, user := range ids {
		keys[i] = table.User(user)
	}
	items, err := s.Table.Read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		var u User
		found, err := items.Get(k, &u)
		if err != nil {
			return nil, err
		}
		if found {
			users = append(users, u)
		}
	}
	return users, nil
}

// get reads a user. When there is none, it returns [platformapp.ErrUnauthorized], which is also what an app
// is answered.
func (s *Service) get(ctx context.Context, user id.ID) (User, error) {
	users, err := s.Read(ctx, user)
	if err == nil && len(users) == 0 {
		err = platformapp.ErrUnauthorized
	}
	if err != nil {
		return User{}, err
	}
	return users[0], nil
}

// retry makes a change to a user that was read. When that fails with errMoved, it reads the user again and repeats the
// change. It returns [platformapp.ErrUnauthorized] when the user is gone.
func retry[T any](ctx context.Context, s *Service, u User, change func(User) (T, error)) (T, error) {
	return table.RetryFrom(ctx, errMoved, u, func() (User, error) { return s.get(ctx, u.ID) }, change)
}

// missing turns the error that an app gets for a missing user into one for an operator.
func missing(user id.ID, err error) error {
	if err == platformapp.ErrUnauthorized {
		return fmt.Errorf("there is no user %d", user)
	}
	return err
}
