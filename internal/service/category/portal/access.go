package portal

import (
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
)

// Caller is who sends a request, and the portal that its path names. Nothing of it is verified
// before [Caller.Authorize].
type Caller struct {
	Portal table.Portal // the zero Portal when the path names none that can exist
	token  credential.Credential
}

// ParseCaller reads the token and the portal of a request. Without a well-formed token it returns an error of kind
// [api.Unauthorized], so the request costs no read.
func ParseCaller(r *api.Request) (Caller, error) {
	token, ok := credential.Parse(credential.Agent, r.Token())
	if !ok {
		return Caller{}, errUnauthorized
	}
	c := Caller{token: token}
	r.Log(slog.Int64("user", int64(token.ID))) // only claimed so far: the status tells whether it is true
	c.Portal, _ = ParsePath(r)
	return c, nil
}

// Keys returns the keys of the items that [Caller.Authorize] needs: the token and its user, the portal and
// the membership.
func (c Caller) Keys() []table.Key {
	keys := []table.Key{c.tokenKey(), table.User(c.token.ID)}
	if c.NamesPortal() {
		keys = append(keys, c.Portal.Key(), c.Portal.Member(c.token.ID))
	}
	return keys
}

// NamesPortal reports whether the path names a portal that can exist.
func (c Caller) NamesPortal() bool { return c.Portal != table.Portal{} }

// tokenKey has the digest of the token in it. Finding the record means that the secret is right, so no comparison takes
// a time that depends on the secret.
func (c Caller) tokenKey() table.Key { return table.AgentToken(c.token.ID, c.token.Digest) }

var (
	errUnauthorized = api.Errorf(api.Unauthorized, "You need to sign in: the access token is missing or not valid; "+
		"api_access_token takes an agent's token (fda_…) alone, without Bearer")
	// ErrNotMember is of kind [api.Forbidden]. A portal that does not exist gets it, too.
	ErrNotMember = api.Errorf(api.Forbidden, "You are not a member of this portal")
)

// Authorize returns the portal and the membership of the caller. Nobody is a member of a portal that does not exist, or
// that is being deleted.
func (c Caller) Authorize(items table.Items) (Portal, Membership, error) {
	if err := c.authenticate(items); err != nil {
		return Portal{}, Membership{}, err
	}
	var m Membership
	member, err := items.Get(c.Portal.Member(c.token.ID), &m)
	if err != nil {
		return Portal{}, Membership{}, err
	}
	p, found, err := FromItems(items, c.Portal)
	if err != nil {
		return Portal{}, Membership{}, err
	}
	if !member || !found {
		return Portal{}, Membership{}, ErrNotMember
	}
	return p, m, nil
}

// FromItems finds a portal among items that were read. It does not find one that is being deleted.
func FromItems(items table.Items, key table.Portal) (p Portal, found bool, err error) {
	found, err = items.Get(key.Key(), &p)
	return p, found && !p.Deleting, err
}

// authenticate refuses a token that is unknown, has expired, or has another generation than its user. Raising the
// user's generation ends all of the user's tokens at once. The read leaves out what has expired; a token without an end
// is damaged.
func (c Caller) authenticate(items table.Items) error {
	var token struct {
		ExpiresAt  int64 `dynamo:"expires_at"`
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
	if !found || !exists || token.Generation != user.Generation || token.ExpiresAt == 0 {
		return errUnauthorized
	}
	return nil
}
