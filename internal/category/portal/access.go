package portal

import (
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/table"
)

// Caller is who sends a request, and for which portal.
type Caller struct {
	Portal table.Portal // the zero Portal where the path names none that may exist
	token  credential.Credential
}

// ParseCaller reads the token and the portal of a request. Without a well-formed token its error is of kind
// [api.Unauthorized], and nothing need be read.
func ParseCaller(r *api.Request) (Caller, error) {
	token, ok := credential.Parse(credential.Agent, r.Token())
	if !ok {
		return Caller{}, errUnauthorized
	}
	c := Caller{token: token}
	r.Log(slog.Int64("user", int64(token.ID))) // whom the token says it is of; the status says whether it is
	c.Portal, _ = ParsePath(r)
	return c, nil
}

// Keys are the keys of the items by which [Caller.Authorize] decides: the token and its user, and the portal and
// the membership.
func (c Caller) Keys() []table.Key {
	keys := []table.Key{c.tokenKey(), table.User(c.token.ID)}
	if c.NamesPortal() {
		keys = append(keys, c.Portal.Key(), c.Portal.Member(c.token.ID))
	}
	return keys
}

// NamesPortal reports whether the path names a portal that may exist.
func (c Caller) NamesPortal() bool { return c.Portal != table.Portal{} }

// The token's digest is part of its key: to find the record is to have compared it.
func (c Caller) tokenKey() table.Key { return table.AgentToken(c.token.ID, c.token.Digest) }

var (
	errUnauthorized = api.Errorf(api.Unauthorized, "You need to sign in: the access token is missing or not valid; "+
		"api_access_token takes an agent's token (fda_…) alone, without Bearer")
	// ErrNotMember is of kind [api.Forbidden].
	ErrNotMember = api.Errorf(api.Forbidden, "You are not a member of this portal")
)

// Authorize gives the portal to its member, with the membership. A portal that does not exist, or is being deleted, is
// one that nobody is a member of.
func (c Caller) Authorize(items table.Items) (Portal, Membership, error) {
	if err := c.authenticate(items); err != nil {
		return Portal{}, Membership{}, err
	}
	var m Membership
	member, err := items.Get(c.Portal.Member(c.token.ID), &m)
	if err != nil {
		return Portal{}, Membership{}, err
	}
	p, found, err := In(items, c.Portal)
	if err != nil {
		return Portal{}, Membership{}, err
	}
	if !member || !found {
		return Portal{}, Membership{}, ErrNotMember
	}
	return p, m, nil
}

// In finds a portal among items that were read. One that is being deleted is not found.
func In(items table.Items, key table.Portal) (_ Portal, found bool, err error) {
	var item Record
	found, err = items.Get(key.Key(), &item)
	return item.portal(), found && !item.Deleting, err
}

// authenticate refuses a token that is unknown or has expired, or is not of the generation that its user has: whoever
// raises the user's ends all of its tokens.
func (c Caller) authenticate(items table.Items) error {
	var token struct {
		ExpiresAt  int64 `dynamo:"expires_at"` // seconds since 1970
		Generation int64 `dynamo:"generation"`
	}
	found, err := items.Get(c.tokenKey(), &token)
	if err != nil {
		return err
	}
	var user struct {
		Generation int64 `dynamo:"generation"`
	}
	exists, err := items.Get(table.User(c.token.ID), &user)
	if err != nil {
		return err
	}
	if !found || !exists || token.Generation != user.Generation || time.Now().Unix() >= token.ExpiresAt {
		return errUnauthorized
	}
	return nil
}
