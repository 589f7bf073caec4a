package user

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// errSignIn answers for every sign-in that fails: no such user, a wrong password, a token that is spent,
// expired, unknown or another user's, too many failures. None of them can be told from the others, by its
// text or by its cost.
var errSignIn = api.Errorf(api.Unauthorized, "Email, password or sign-in link is not valid")

// SignInFunction is the endpoint POST /auth/sign_in.
func (s *Service) SignInFunction() api.Function { return api.Function{Handle: s.signIn} }

// signedIn is the answer to a sign-in.
type signedIn struct {
	Data signedInUser `json:"data"`
}

type signedInUser struct {
	ID          id.ID  `json:"id"`
	Name        string `json:"name"`
	Email       string `json:"email"`
	AccessToken string `json:"access_token"`
}

// signIn gives an agent token for a password, or for a login token, which it spends. A request that is not
// filled in is told so, whoever it is about: that says nothing of any user. All else is errSignIn.
func (s *Service) signIn(ctx context.Context, r *api.Request) (api.Response, error) {
	p, err := decodeProof(r)
	if err != nil {
		return api.Response{}, err
	}
	items, err := s.Table.Read(ctx, p.keys()...)
	if err != nil {
		return api.Response{}, err
	}
	now := s.now()
	before := attemptsIn(items, p.email, now)
	u, token, err := s.admit(ctx, p, items, before, now)
	if errors.Is(err, errSignIn) && !before.locked() {
		if uncounted := s.countFailure(ctx, before, now); uncounted != nil {
			err = uncounted
		}
	}
	if err != nil {
		return api.Response{}, err
	}
	u.log(r)
	return api.Response{Body: signedIn{signedInUser{u.ID, u.Name, u.Email, token}}}, nil
}

// proof is by what somebody signs in: a login token or, without one, a password.
type proof struct {
	email    Email // zero for what is no address: that is nobody's, like any that is not known
	password string
	token    string
	login    credential.Credential // of the token; zero if that is none
}

func decodeProof(r *api.Request) (proof, error) {
	o, err := object(r)
	if err != nil {
		return proof{}, err
	}
	email := o.String("email")
	p := proof{password: o.String("password"), token: o.String("sso_auth_token")}
	if err := o.Err(); err != nil {
		return proof{}, err
	}
	var f api.Faults
	if strings.TrimSpace(email) == "" {
		f.Add("email", "Email can't be blank")
	}
	if p.password == "" && p.token == "" {
		f.Add("password", "Password can't be blank")
	}
	p.email, _ = ParseEmail(email)
	p.login, _ = credential.Parse(credential.Login, p.token)
	return p, f.Err()
}

// keys are all that is read to decide. The login token tells whose it says it is, so that its user is read
// with it.
func (p proof) keys() []table.Key {
	keys := []table.Key{p.email.key(), p.email.attemptsKey()}
	if p.login.ID != 0 {
		keys = append(keys, table.LoginToken(p.login.Digest), table.User(p.login.ID))
	}
	return keys
}

// admit lets in who has proved himself. Whoever has not costs one hash, unless the address is locked, when
// nothing is hashed. A good login token opens a locked address too: nobody can guess one, and nobody is to
// lock others out of it.
func (s *Service) admit(ctx context.Context, p proof, items table.Items, before attempts, now time.Time) (User, string, error) {
	var owner ownerItem
	if _, err := items.Get(p.email.key(), &owner); err != nil {
		return User{}, "", err
	}
	if p.token == "" {
		if before.locked() {
			return User{}, "", errSignIn
		}
		return s.admitByPassword(ctx, owner, p.password, now)
	}
	u, token, err := s.admitByToken(ctx, owner, p.login, items, now)
	if errors.Is(err, errSignIn) && !before.locked() {
		if _, failed := s.matches(p.token, nobody); failed != nil {
			err = fmt.Errorf("compare passwords: %w", failed)
		}
	}
	return u, token, err
}

// admitByPassword takes the zero owner for an address that nobody has.
func (s *Service) admitByPassword(ctx context.Context, owner ownerItem, password string, now time.Time) (u User, token string, err error) {
	hash := owner.Password
	if owner.User == 0 {
		hash = nobody
	}
	ok, err := s.matches(password, hash)
	if err != nil {
		return User{}, "", fmt.Errorf("compare passwords: %w", err)
	}
	if !ok || owner.User == 0 {
		return User{}, "", errSignIn
	}
	item, token := newToken(owner.User, now, TokenLife)
	group := api.NewGroup()
	group.Go(func() error {
		if err := s.Table.Put(item).Run(ctx); err != nil {
			return fmt.Errorf("put agent token: %w", table.Single(err))
		}
		return nil
	})
	group.Go(func() (err error) {
		u, err = s.get(ctx, owner.User)
		return err
	})
	err = group.Wait()
	return u, token, err
}

// admitByToken spends a login token for an agent token, both or neither.
func (s *Service) admitByToken(ctx context.Context, owner ownerItem, c credential.Credential, items table.Items, now time.Time) (User, string, error) {
	key := table.LoginToken(c.Digest)
	var login loginItem
	if found, err := items.Get(key, &login); err != nil {
		return User{}, "", err
	} else if !found || owner.User == 0 || login.User != owner.User || c.ID != owner.User || !now.Before(login.ExpiresAt) {
		return User{}, "", errSignIn
	}
	u, found, err := userIn(items, owner.User)
	if err != nil {
		return User{}, "", err
	}
	if !found {
		return User{}, "", fmt.Errorf("user %d has no record", owner.User)
	}
	item, token := newToken(owner.User, now, TokenLife)
	tx := s.Table.Tx()
	tx.Delete(s.Table.Delete("PK", key.PK).Range("SK", key.SK).
		If("'user' = ? AND expires_at > ?", owner.User, now.Unix()), errSignIn)
	tx.Put(s.Table.Put(item), nil)
	err = tx.Run(ctx)
	if err != nil && !errors.Is(err, errSignIn) && s.stands(ctx, item.Key) {
		err = nil // every answer was lost, but the token is spent and the user signed in
	}
	if err != nil {
		return User{}, "", err
	}
	return u, token, nil
}

// stands reports whether there is certainly an item of that key.
func (s *Service) stands(ctx context.Context, key table.Key) bool {
	items, err := s.Table.Read(ctx, key)
	return err == nil && len(items) == 1
}
