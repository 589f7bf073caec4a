package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/attempts"
	"frontdesk/internal/service/user/platformapp"
)

// authenticateByToken spends a login token and creates an agent token: both or neither.
func (s service) authenticateByToken(
	ctx context.Context, owner user.Owner, c credential.Credential, items table.Items, a attempts.Attempt,
	now time.Time,
) (user.User, string, error) {
	key := table.LoginToken(c.ID, c.Digest)
	var login user.Login
	if found, err := items.Get(key, &login); err != nil {
		return user.User{}, "", err
	} else if !found || owner.User == 0 || login.User != owner.User || c.ID != owner.User {
		return user.User{}, "", errSignIn
	}
	r, err := s.redeem(login, items, a, now)
	if err != nil {
		return user.User{}, "", err
	}
	r.tx.Delete(s.Table.DeleteItem(key).
		If("'user' = ? AND expires_at > ?", owner.User, now.Unix()), table.Final(errSignIn))
	spending, cancel := user.Settling(ctx)
	defer cancel()
	err = r.tx.Run(spending)
	if errors.Is(err, table.ErrUnknown) {
		if s.exists(ctx, r.key) {
			// The write got no answer, but it has signed the user in.
			return r.user, r.token, nil
		}
		// DynamoDB may still spend the login token after this request has ended. Remember the token.
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

// authenticateAgain returns an agent token for a login token that an earlier request may have spent without an answer.
// That request answered 503, and nobody has its agent token. So the same link signs in until it expires, also more than
// once: a record of who got an answer could be lost in the same way. This takes the link, within its 5 minutes, and an
// outage while it was used. A link whose use was answered works once.
func (s service) authenticateAgain(
	ctx context.Context, c credential.Credential, items table.Items, a attempts.Attempt, now time.Time,
) (user.User, string, error) {
	var login user.Login
	if found, err := items.Get(table.UnansweredLogin(c.ID, c.Digest), &login); err != nil {
		return user.User{}, "", err
	} else if !found || login.ExpiresAt.IsZero() { // damaged
		return user.User{}, "", errSignIn
	}
	r, err := s.redeem(login, items, a, now)
	if err != nil {
		return user.User{}, "", err
	}
	return r.user, r.token, r.tx.Run(ctx)
}

// redemption is what a login token is exchanged for, once its transaction has run.
type redemption struct {
	tx    *table.Tx
	user  user.User
	token string    // the new agent token
	key   table.Key // of the agent token's record
}

// redeem begins to exchange a login token. The token has not ended if its user still has its generation, and the app
// that asked for it still has the same token.
func (s service) redeem(
	login user.Login, items table.Items, a attempts.Attempt, now time.Time,
) (r redemption, err error) {
	var u user.User
	found, err := items.Get(table.User(login.User), &u)
	if err != nil {
		return redemption{}, err
	}
	if !found || login.Generation != u.Generation {
		return redemption{}, errSignIn
	}
	item, token := user.NewToken(u.ID, u.Generation, now, user.TokenLife)
	tx := s.newSignIn(u.ID, item, a)
	platformapp.RequireToken(tx, login.App, login.AppDigest, errSignIn)
	return redemption{tx: tx, user: u, token: token, key: item.Key}, nil
}

// exists reports whether an item certainly exists. A failed read counts as no.
func (s service) exists(ctx context.Context, key table.Key) bool {
	items, err := s.Table.Read(ctx, key)
	return err == nil && len(items) == 1
}
