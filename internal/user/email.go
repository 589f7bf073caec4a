package user

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/address"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Email is an e-mail address by which a user is known. The zero Email is the address of no user.
type Email struct {
	Sent   string // without the white space around it
	normal string // the domain in punycode, all in lower case: addresses with the same one are the same
}

// ParseEmail reads an e-mail address. The error's text continues the name of the field.
func ParseEmail(s string) (Email, error) {
	sent := strings.TrimSpace(s)
	switch {
	case sent == "":
		return Email{}, errors.New("can't be blank")
	case len(sent) > address.Max:
		return Email{}, fmt.Errorf("is too long (maximum is %d bytes)", address.Max)
	}
	normal, err := address.Normal(sent)
	if err != nil {
		return Email{}, err
	}
	return Email{sent, normal}, nil
}

// Normal is the form in which addresses are compared; that of the zero Email is empty.
func (e Email) Normal() string { return e.normal }

// Key is the key of the record of the address's owner; the zero Email has the zero key, at which there is no record.
func (e Email) Key() table.Key {
	if e.normal == "" {
		return table.Key{}
	}
	return table.Email(e.normal)
}

// OwnerKey is the key of the record that says which user has a stored e-mail address.
func OwnerKey(email string) table.Key {
	e, _ := ParseEmail(email) // the zero Email, and so the zero key, for a malformed address
	return e.Key()
}

// Owner says which user has an e-mail address, and has the hash of that user's password. Its generation is the
// user's: a sign-in by the password, which does not know the user before it has read this, makes a token of it.
type Owner struct {
	table.Key
	User       id.ID  `dynamo:"user"`
	Password   string `dynamo:"password"` // argon2id, in the form of its reference implementation, or a foreign hash
	Generation int64  `dynamo:"generation"`
}

// Find reads the user of an e-mail address. It is for operators.
func (s *Service) Find(ctx context.Context, email string) (User, error) {
	e, err := ParseEmail(email)
	if err != nil {
		return User{}, fmt.Errorf("e-mail address %w", err)
	}
	items, err := s.Table.Read(ctx, e.Key())
	if err != nil {
		return User{}, err
	}
	var owner Owner
	found, err := items.Get(e.Key(), &owner)
	if err != nil {
		return User{}, err
	}
	if !found {
		return User{}, fmt.Errorf("there is no user with the e-mail address %s", e.Sent)
	}
	u, err := s.get(ctx, owner.User)
	return u, missing(owner.User, err)
}
