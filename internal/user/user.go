// Package user is the users that platform apps manage. An app creates users, acts on those it has a
// permissible link to, and gets links by which they sign in; signing in gives an agent token.
//
// A user is three records that appear together or not at all: the user itself, the owner of its e-mail
// address with the hash of its password, and the link of the app that created it. One file has one concept:
// app and link say who may act; create, show, update, login and signin are the endpoints.
package user

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
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

	generation int64 // of the tokens that are good
}

// Details are the fields of a new user.
type Details struct {
	Name     string
	Email    string
	Password string
}

// check is every rule that the details break, as one error.
func (d Details) check() error {
	var f api.Faults
	checkName(&f, d.Name)
	if _, err := ParseEmail(d.Email); err != nil {
		f.Add("email", "Email %s", err)
	}
	checkPassword(&f, d.Password)
	return f.Err()
}

func checkName(f *api.Faults, name string) {
	switch {
	case strings.TrimSpace(name) == "":
		f.Add("name", "Name can't be blank")
	case utf8.RuneCountInString(name) > MaxName:
		f.Add("name", "Name is too long (maximum is %d characters)", MaxName)
	}
}

func checkPassword(f *api.Faults, password string) {
	switch n := utf8.RuneCountInString(password); {
	case n == 0:
		f.Add("password", "Password can't be blank")
	case n < MinPassword:
		f.Add("password", "Password is too short (minimum is %d characters)", MinPassword)
	case n > MaxPassword:
		f.Add("password", "Password is too long (maximum is %d characters)", MaxPassword)
	}
}

// userItem is a user's record in the table.
type userItem struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	Email     string    `dynamo:"email"`
	CreatedAt time.Time `dynamo:"created_at"`
	UpdatedAt time.Time `dynamo:"updated_at"`
	// Generation is that of the tokens that are good: to raise it ends all of the user's agent tokens and login links
	// at once. The owner of the e-mail address has the same.
	Generation int64 `dynamo:"generation"`
}

func newUserItem(u User) userItem {
	return userItem{table.User(u.ID), u.ID, u.Name, u.Email, u.CreatedAt, u.UpdatedAt, u.generation}
}

func (i userItem) user() User {
	return User{i.ID, i.Name, i.Email, i.CreatedAt, i.UpdatedAt, i.Generation}
}

// userIn finds a user among items that were read.
func userIn(items table.Items, user id.ID) (u User, found bool, err error) {
	var item userItem
	found, err = items.Get(table.User(user), &item)
	return item.user(), found, err
}

// get reads a user that another record names, and that exists therefore.
func (s *Service) get(ctx context.Context, user id.ID) (User, error) {
	items, err := s.Table.Read(ctx, table.User(user))
	if err != nil {
		return User{}, err
	}
	u, found, err := userIn(items, user)
	if err == nil && !found {
		err = fmt.Errorf("user %d has no record", user)
	}
	return u, err
}
