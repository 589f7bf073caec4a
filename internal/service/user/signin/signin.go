// Package signin is the endpoint where users sign in, with a password or the token of a login link.
package signin

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/attempts"
)

// errSignIn answers every sign-in that fails: no such user, a wrong password, a token that is spent, expired,
// unknown or another user's, too many failures. Neither the text nor the time of the answer tells a client which of
// these it was. The one exception is a user whose password hash is still from another program: that comparison takes
// another time.
var errSignIn = api.Errorf(api.Unauthorized, "Email, password or sign-in link is not valid")

// maxBody is the largest body in bytes: several times what the rules allow, with every character escaped.
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

// signIn returns an agent token for a password, or for a login token, which it spends. An error about missing fields is
// the same for every user, so it tells nothing of any. Every other failure is errSignIn.
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

// try returns the user of good credentials, and an agent token. Side by side with the reads it counts the attempt for
// the client's network. The attempt stays counted when the credentials are wrong.
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
	if err != nil && !errors.Is(err, errSignIn) && a.Counted() { // an internal error, not wrong credentials
		err = errors.Join(err, a.TakeBack(s.Table).Run(ctx))
	}
	return u, token, err
}

// authenticate returns the user of good credentials, and an agent token. Every refusal costs one hash, or two for a
// password that is not in its normal form, unless the user's hash is from another program. When the address is locked
// for the client's network, nothing is hashed. A good login token also opens a locked address: nobody can guess such a
// token, and a stranger must not be able to lock users out.
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

// errRehashed means that the foreign hash of a password is gone: another sign-in has replaced it by ours, or the
// user has got another address or password. Only another password makes this sign-in fail, because it ends the
// token's generation.
var errRehashed = errors.New("the hash of the password is another one by now")

// authenticateByPassword compares a password. owner is zero for an address that no user has; then the comparison with
// the dummy hash takes as long.
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
	rehashing := s.newSignIn(owner.User, item, a)
	if err := s.Rehash(rehashing, owner, password, errRehashed); err != nil {
		return user.User{}, "", fmt.Errorf("hash password: %w", err)
	}
	group, reading := api.NewGroupContext(ctx) // a write that fails ends the read; it has the request's own context
	group.Go(func() error {
		err := rehashing.Run(ctx)
		if errors.Is(err, errRehashed) { // a late attempt would do no more: both store this token
			return s.newSignIn(owner.User, item, a).Run(ctx)
		}
		return err
	})
	group.Go(func() error {
		items, err := s.Table.Read(reading, table.User(owner.User))
		if err == nil {
			_, err = items.Get(table.User(owner.User), &u)
		}
		return err
	})
	err = group.Wait()
	if err == nil && u.ID == 0 {
		err = errSignIn // the user was deleted at the same time
	}
	return u, token, err
}

// newSignIn begins the transaction of every sign-in: it creates the agent token, and takes the attempt back, both
// or neither.
func (s service) newSignIn(u id.ID, token user.Token, a attempts.Attempt) *table.Tx {
	tx := s.Table.Tx()
	user.PutToken(tx, u, token, errSignIn)
	if a.Counted() {
		tx.Update(a.TakeBack(s.Table), nil)
	}
	return tx
}
