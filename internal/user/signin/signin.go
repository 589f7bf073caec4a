// Package signin is the endpoint by which users sign in, by a password or the token of a login link.
package signin

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
	"frontdesk/internal/user/attempts"
)

// errSignIn is the answer to every sign-in that fails: no such user, a wrong password, a token that is spent, expired,
// unknown or another user's, too many failures. A client cannot tell one of these from another, neither by the text nor
// by the time that the answer takes.
var errSignIn = api.Errorf(api.Unauthorized, "Email, password or sign-in link is not valid")

// maxBody is what a body may have in bytes: several times what the rules allow, with every character escaped.
const maxBody = 16 << 10

// service signs users in.
type service struct{ *user.Service }

// Function is the endpoint POST /auth/sign_in.
func Function(users *user.Service) api.Function {
	return api.Function{Handle: service{users}.signIn, MaxBody: maxBody}
}

// signedIn is the answer to a sign-in.
type signedIn struct {
	Data signedInUser `json:"data"`
}

type signedInUser struct {
	ID          id.ID  `json:"id"`
	Name        string `json:"name"`
	Email       string `json:"email"`
	AccessToken string `json:"access_token"`

	CustomAttributes user.Attributes `json:"custom_attributes"`
}

// signIn gives an agent token for a password, or for a login token, which it spends. A request with missing fields is
// told so whatever user it names, which says nothing of any user. Every other failure is errSignIn.
func (s service) signIn(ctx context.Context, r *api.Request) (api.Response, error) {
	c, err := decodeCredentials(r)
	if err != nil {
		return api.Response{}, err
	}
	u, token, err := s.try(ctx, c, attempts.Network(r.RequestContext.HTTP.SourceIP))
	if err != nil {
		return api.Response{}, err
	}
	u.Log(r)
	return api.Response{Body: signedIn{signedInUser{
		ID:               u.ID,
		Name:             u.Name,
		Email:            u.Email,
		AccessToken:      token,
		CustomAttributes: u.CustomAttributes,
	}}}, nil
}

// try gives the user of good credentials, and an agent token. The attempt is counted beside the reads, for the client's
// network, and stays counted where the credentials are not good.
func (s service) try(
	ctx context.Context, c credentials, network netip.Prefix,
) (u user.User, token string, err error) {
	var a attempts.Attempt
	var items table.Items
	now := s.Now()
	group := api.NewGroup()
	group.Go(func() (err error) {
		a, err = attempts.Count(ctx, s.Table, c.email.Normal(), network, now)
		return err
	})
	group.Go(func() (err error) {
		items, err = s.Table.Read(ctx, c.keys()...)
		return err
	})
	err = group.Wait()
	if err == nil {
		u, token, err = s.authenticate(ctx, c, items, a, now)
	}
	if err != nil && !errors.Is(err, errSignIn) && a.Counted() { // what fails here is no fault of the credentials
		err = errors.Join(err, a.TakeBack(s.Table).Run(ctx))
	}
	return u, token, err
}

// credentials are what a user signs in with: a login token or, without one, a password.
type credentials struct {
	email    user.Email // zero for a malformed address, which no user has
	password string
	token    string
	login    credential.Credential // of the token; zero for a malformed one
}

func decodeCredentials(r *api.Request) (credentials, error) {
	o, err := user.Object(r)
	if err != nil {
		return credentials{}, err
	}
	email := o.String("email")
	c := credentials{password: o.String("password"), token: o.String("sso_auth_token")}
	if err := o.Err(); err != nil {
		return credentials{}, err
	}
	var f api.Faults
	if strings.TrimSpace(email) == "" {
		f.Add("email", "Email can't be blank")
	}
	if c.password == "" && c.token == "" {
		f.Add("password", "Password can't be blank")
	}
	c.email, _ = user.ParseEmail(email)
	c.login, _ = credential.Parse(credential.Login, c.token)
	return c, f.Err()
}

// keys are those of all records that the decision needs: they are read at once, so that every wrong token takes the
// same calls. A login token has the id of its user, by which the user's records are read with the token's.
func (c credentials) keys() []table.Key {
	keys := []table.Key{c.email.Key()}
	if u, digest := c.login.ID, c.login.Digest; u != 0 {
		keys = append(keys, table.LoginToken(u, digest), table.UnansweredLogin(u, digest), table.User(u))
	}
	return keys
}

// authenticate gives the user of good credentials, and an agent token. Every refusal costs one hash, or two for a
// password that is not in its normal form. Where the address is locked for the client's network nothing is hashed. A
// good login token opens a locked address too: such a token cannot be guessed, and a stranger must not be able to lock
// users out.
func (s service) authenticate(
	ctx context.Context, c credentials, items table.Items, a attempts.Attempt, now time.Time,
) (user.User, string, error) {
	var owner user.Owner
	if _, err := items.Get(c.email.Key(), &owner); err != nil {
		return user.User{}, "", err
	}
	if c.token == "" {
		if a.Locked {
			return user.User{}, "", errSignIn
		}
		return s.authenticateByPassword(ctx, owner, c.password, a, now)
	}
	u, token, err := s.authenticateByToken(ctx, owner, c.login, items, a, now)
	if errors.Is(err, errSignIn) && owner.User != 0 && c.login.ID == owner.User {
		u, token, err = s.authenticateAgain(ctx, c.login, items, a, now)
	}
	if errors.Is(err, errSignIn) && !a.Locked {
		if _, failed := s.Matches("", s.DummyHash()); failed != nil {
			err = fmt.Errorf("compare passwords: %w", failed)
		}
	}
	return u, token, err
}

// authenticateByPassword takes the zero owner for an address that no user has.
func (s service) authenticateByPassword(
	ctx context.Context, owner user.Owner, password string, a attempts.Attempt, now time.Time,
) (u user.User, token string, err error) {
	hash := owner.Password
	if owner.User == 0 {
		hash = s.DummyHash()
	}
	ok, err := s.Matches(password, hash)
	if err != nil {
		return user.User{}, "", fmt.Errorf("compare passwords: %w", err)
	}
	if !ok || owner.User == 0 {
		return user.User{}, "", errSignIn
	}
	item, token := user.NewToken(owner.User, owner.Generation, now, user.TokenLife)
	group := api.NewGroup()
	group.Go(func() error { return s.newSignIn(owner.User, item, a).Run(ctx) })
	group.Go(func() error {
		items, err := s.Table.Read(ctx, table.User(owner.User))
		if err == nil {
			u, _, err = user.In(items, owner.User)
		}
		return err
	})
	err = group.Wait()
	if err == nil && u.ID == 0 {
		err = errSignIn // deleted at the same time
	}
	return u, token, err
}

// authenticateByToken spends a login token and creates an agent token, both or neither.
func (s service) authenticateByToken(
	ctx context.Context, owner user.Owner, c credential.Credential, items table.Items, a attempts.Attempt,
	now time.Time,
) (user.User, string, error) {
	key := table.LoginToken(c.ID, c.Digest)
	var login user.Login
	if found, err := items.Get(key, &login); err != nil {
		return user.User{}, "", err
	} else if !found || owner.User == 0 || login.User != owner.User || c.ID != owner.User ||
		!now.Before(login.ExpiresAt) {
		return user.User{}, "", errSignIn
	}
	r, err := s.redeem(login, items, a, now)
	if err != nil {
		return user.User{}, "", err
	}
	r.tx.Delete(s.Table.DeleteItem(key).If("'user' = ? AND expires_at > ?", owner.User, now.Unix()), errSignIn)
	spending, cancel := user.Settling(ctx)
	defer cancel()
	err = r.tx.Run(spending)
	if errors.Is(err, table.ErrUnknown) {
		if s.exists(ctx, r.key) {
			return r.user, r.token, nil // every answer was lost, but the token is spent and the user signed in
		}
		// DynamoDB may spend the login token later than this request can wait.
		login.Key = table.UnansweredLogin(owner.User, c.Digest)
		if unwritten := s.Table.Put(login).Run(ctx); unwritten != nil {
			err = errors.Join(err, fmt.Errorf("put unanswered login: %w", unwritten))
		}
	}
	if err != nil {
		return user.User{}, "", err
	}
	return r.user, r.token, nil
}

// authenticateAgain gives an agent token for a login token that an earlier request may have spent without an answer.
// The client was told 503, and nobody has the agent token of that request. So the same link signs in until it expires,
// also more than once: another record of who was answered could be lost in the same way. That needs the link, within
// its 5 minutes, and an outage while it was used; a link whose use was answered works once.
func (s service) authenticateAgain(
	ctx context.Context, c credential.Credential, items table.Items, a attempts.Attempt, now time.Time,
) (user.User, string, error) {
	var login user.Login
	if found, err := items.Get(table.UnansweredLogin(c.ID, c.Digest), &login); err != nil {
		return user.User{}, "", err
	} else if !found || !now.Before(login.ExpiresAt) {
		return user.User{}, "", errSignIn
	}
	r, err := s.redeem(login, items, a, now)
	if err != nil {
		return user.User{}, "", err
	}
	return r.user, r.token, r.tx.Run(ctx)
}

// redemption is what a login token is exchanged for, once its transaction is run.
type redemption struct {
	tx    *table.Tx
	user  user.User
	token string    // by which the user is signed in then
	key   table.Key // of its record
}

// redeem begins to exchange a login token that nothing has ended: its user has its generation, and the app that asked
// for it still has the token with which it did.
func (s service) redeem(
	login user.Login, items table.Items, a attempts.Attempt, now time.Time,
) (r redemption, err error) {
	u, found, err := user.In(items, login.User)
	if err != nil {
		return redemption{}, err
	}
	if !found || login.Generation != u.Generation {
		return redemption{}, errSignIn
	}
	item, token := user.NewToken(u.ID, u.Generation, now, user.TokenLife)
	tx := s.newSignIn(u.ID, item, a)
	tx.Check(s.Table.CheckItem(table.App(login.App)).
		If("attribute_not_exists(revoked_at) AND digest = ?", login.AppDigest), errSignIn)
	return redemption{tx: tx, user: u, token: token, key: item.Key}, nil
}

// newSignIn is what every sign-in writes, all or nothing: the agent token, and that the attempt counts no longer.
func (s service) newSignIn(u id.ID, token user.Token, a attempts.Attempt) *table.Tx {
	tx := s.Table.Tx()
	user.PutToken(tx, u, token, errSignIn)
	if a.Counted() {
		tx.Update(a.TakeBack(s.Table), nil)
	}
	return tx
}

// exists reports whether an item of that key certainly exists.
func (s service) exists(ctx context.Context, key table.Key) bool {
	items, err := s.Table.Read(ctx, key)
	return err == nil && len(items) == 1
}
