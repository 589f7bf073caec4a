package user

import (
	"context"
	"net/url"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"
)

// loginLife is how long a login link is good. A link works once.
const loginLife = 5 * time.Minute

// Login is a login token's record: its key has the digest. It is good while its user has the generation, and while
// the app that asked for it has the token with which it did: an app that is revoked, or gets another token because
// somebody else has this one, leaves no links behind.
type Login struct {
	table.Key
	User       id.ID     `dynamo:"user"`
	Generation int64     `dynamo:"generation"`
	App        id.ID     `dynamo:"app"`
	AppDigest  []byte    `dynamo:"app_digest"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
}

// LoginFunction is the endpoint GET /platform/api/v1/users/{user_id}/login.
func (s *Service) LoginFunction() api.Function {
	return api.Function{Handle: forLinked(s, nil, s.login)}
}

// login makes a login link. Whoever answers at the link hands address and token to the endpoint that signs in.
func (s *Service) login(ctx context.Context, r *api.Request, l linked, _ struct{}) (api.Response, error) {
	u := l.user
	token, digest := credential.Mint(credential.Login, u.ID)
	item := Login{
		Key:        table.LoginToken(u.ID, digest),
		User:       u.ID,
		Generation: u.Generation,
		App:        l.app.ID,
		AppDigest:  l.credential.Digest[:],
		ExpiresAt:  s.Now().Add(loginLife),
	}
	tx := s.Table.Tx()
	// A deleted user leaves nothing behind.
	tx.Check(s.Table.CheckItem(table.User(u.ID)).IfExists(), platformapp.ErrUnauthorized)
	tx.Put(s.Table.Put(item), nil)
	if err := tx.Run(ctx); err != nil {
		return api.Response{}, err
	}
	query := url.Values{"email": {u.Email}, "sso_auth_token": {token}}
	return api.Response{Body: struct {
		URL string `json:"url"`
	}{s.loginPage(r, l.app) + "?" + query.Encode()}}, nil
}

// loginPage is where an app's login links lead: its own login address, or else the page of the frontend.
func (s *Service) loginPage(r *api.Request, app platformapp.App) string {
	if app.LoginURL != "" {
		return app.LoginURL
	}
	return s.frontend(r) + "/app/login"
}

// frontend is the address that has the page of login links: the configured one, or else the API's own as the caller
// reached it. The server of sam local names itself localhost, whatever it was called, and has its port in a header
// alone; the local stack's gateway has the port in the name.
func (s *Service) frontend(r *api.Request) string {
	if s.FrontendURL != "" {
		return s.FrontendURL
	}
	own := r.Scheme() + "://" + r.RequestContext.DomainName
	if port := r.Headers["x-forwarded-port"]; port != "" && r.RequestContext.DomainName == "localhost" {
		own += ":" + port
	}
	if stage := r.RequestContext.Stage; stage != "$default" {
		own += "/" + stage
	}
	return own
}
