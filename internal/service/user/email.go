package user

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
)

// Email is an e-mail address by which a user is known. The zero Email belongs to no user.
type Email struct {
	Sent   string // as it was sent, without white space and invisible characters around it
	normal string // in lower case, the domain in punycode; equal for addresses that count as the same
}

// ParseEmail reads an e-mail address. It cuts invisible characters off the ends, which come with an address that is
// copied, and refuses them within: a reader could not tell two addresses apart. The text of its error continues the
// name of the field: "can't be blank".
func ParseEmail(s string) (Email, error) {
	sent := invisible.TrimWithSpace(s)
	switch {
	case sent == "":
		return Email{}, errors.New("can't be blank")
	case len(sent) > address.Max:
		return Email{}, fmt.Errorf("is too long (maximum is %d bytes)", address.Max)
	case strings.ContainsFunc(sent, invisible.Is):
		return Email{}, fmt.Errorf("%q is not a valid e-mail address: it contains invisible characters", sent)
	}
	normal, err := address.Normal(sent)
	if err != nil {
		return Email{}, err
	}
	return Email{sent, normal}, nil
}

// Normal returns the form in which addresses are compared. It is "" for the zero Email.
func (e Email) Normal() string { return e.normal }

// Key returns the key of the record of the address's owner. The zero Email has the zero key, where no record can be.
func (e Email) Key() table.Key {
	if e.normal == "" {
		return table.Key{}
	}
	return table.Email(e.normal)
}

// OwnerKey returns the key of the record that says which user has a stored e-mail address. The rules of [ParseEmail]
// may be stricter than those that the address once met.
func OwnerKey(email string) table.Key {
	normal, _ := address.Normal(email) // a malformed address gives the zero Email and the zero key
	return Email{email, normal}.Key()
}

// Owner says which user has an e-mail address, and has the hash of that user's password. It repeats the user's
// generation: a sign-in by password makes a token of this generation, because it reads the owner before it knows
// the user.
type Owner struct {
	table.Key
	User       id.ID  `dynamo:"user"`
	Password   string `dynamo:"password"` // argon2id, as its reference implementation writes it, or a foreign hash
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
	return s.Get(ctx, owner.User)
}

// Get reads a user. It is for operators.
func (s *Service) Get(ctx context.Context, user id.ID) (User, error) {
	u, err := s.get(ctx, user)
	return u, missing(user, err)
}
