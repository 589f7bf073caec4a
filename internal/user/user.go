// Package user is the users that platform apps manage. An app creates users, changes and deletes those it has a
// permissible link to, and gets links by which they sign in; signing in gives an agent token.
//
// A user is records that appear together or not at all: the user itself, the owner of its e-mail address with the hash
// of its password, and the link of the app that created it, which is found from both sides. Whoever uses or writes
// another record of a user does so on condition that the user's own is there: to delete that one ends all of them.
//
// One file has one concept: access says who may act; create, list, show, update, delete, login, createtoken and
// deletetokens are the endpoints.
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

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"

	"github.com/guregu/dynamo/v2"
)

// Limits of a user's fields, in characters. That of an e-mail address is address.Max.
const (
	MaxName     = 255
	MinPassword = 8
	MaxPassword = 128
)

// User is a person who signs in.
type User struct {
	ID        id.ID     `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"` // as it was first sent, white space around it aside
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	CustomAttributes Attributes `json:"custom_attributes"`

	Generation int64 `json:"-"` // of the tokens that are good
}

// written is the answer to a request that creates or changes a user.
type written struct {
	User
	Warnings []string `json:"warnings,omitempty"` // of what else the request has
}

// Log adds to a request's log line which user the request is about.
func (u User) Log(r *api.Request) { r.Log(slog.Int64("user", int64(u.ID))) }

// Details are the fields of a new user.
type Details struct {
	Name             string
	Email            string
	Password         string
	PasswordHash     string          // in place of the password: see package foreignhash
	CustomAttributes json.RawMessage // an object; nil for the empty one
}

// user is the new user, or every rule that the details break, as one error.
func (d Details) user(email Email) (*User, error) {
	var f api.Faults
	checkName(&f, d.Name)
	if _, err := ParseEmail(d.Email); err != nil {
		f.Add("email", "Email %s", err)
	}
	u := &User{Name: d.Name, Email: email.Sent}
	if d.PasswordHash == "" {
		checkPassword(&f, d.Password, *u)
	} else {
		checkPasswordHash(&f, d)
	}
	u.CustomAttributes = newAttributes(&f, d.CustomAttributes)
	return u, f.Err()
}

func checkName(f *api.Faults, name string) {
	if strings.TrimSpace(name) == "" {
		f.Add("name", "Name can't be blank")
		return
	}
	if utf8.RuneCountInString(name) > MaxName {
		f.Add("name", "Name is too long (maximum is %d characters)", MaxName)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		f.Add("name", "Name must not contain control characters")
	}
}

// Record is a user's record in the table.
type Record struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	Email     string    `dynamo:"email"`
	CreatedAt time.Time `dynamo:"created_at"`
	UpdatedAt time.Time `dynamo:"updated_at"`
	// Generation is that of the tokens that are good: to raise it ends all of the user's agent tokens and login links
	// at once. The owner of the e-mail address has the same.
	Generation int64 `dynamo:"generation"`
	// CustomAttributes are absent where they are the empty object.
	CustomAttributes Attributes `dynamo:"custom_attributes,omitempty"`
}

func newRecord(u User) Record {
	return Record{
		Key:              table.User(u.ID),
		ID:               u.ID,
		Name:             u.Name,
		Email:            u.Email,
		CreatedAt:        u.CreatedAt,
		UpdatedAt:        u.UpdatedAt,
		Generation:       u.Generation,
		CustomAttributes: u.CustomAttributes,
	}
}

func (i Record) user() User {
	return User{
		ID:               i.ID,
		Name:             i.Name,
		Email:            i.Email,
		CreatedAt:        i.CreatedAt,
		UpdatedAt:        i.UpdatedAt,
		CustomAttributes: i.CustomAttributes,
		Generation:       i.Generation,
	}
}

// Decode is the user of a record that was read by itself.
func Decode(item dynamo.Item) (User, error) {
	var r Record
	err := table.Decode(item, &r)
	return r.user(), err
}

// In finds a user among items that were read.
func In(items table.Items, user id.ID) (u User, found bool, err error) {
	var item Record
	found, err = items.Get(table.User(user), &item)
	return item.user(), found, err
}

// Read reads users, at most 100. One that does not exist is left out.
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
	for _, user := range ids {
		u, found, err := In(items, user)
		if err != nil {
			return nil, err
		}
		if found {
			users = append(users, u)
		}
	}
	return users, nil
}

// get reads a user. Its error is [platformapp.ErrUnauthorized] where there is none: as an app is told of it.
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

// retry makes a change to a user as it was read, and where that fails with errMoved again to the user as it is then.
// Its error is [platformapp.ErrUnauthorized] where the user is gone.
func retry[T any](ctx context.Context, s *Service, u User, change func(User) (T, error)) (T, error) {
	return table.RetryFrom(ctx, errMoved, u, func() (User, error) { return s.get(ctx, u.ID) }, change)
}

// missing makes the error for an operator of one for an app: that there is no such user.
func missing(user id.ID, err error) error {
	if err == platformapp.ErrUnauthorized {
		return fmt.Errorf("there is no user %d", user)
	}
	return err
}
