package user

import (
	"context"
	"net/url"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"
)

// loginLife is how long a login link is good. A link works once.
const loginLife = 5 * time.Minute

// Login is the record of a login token; its key has the digest. It is good while its user has this generation, and
// while the app that asked for it still has the same token. So the links of an app end when the app is revoked, or gets
// a new token because somebody else has the old one.
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

// login makes a login link. The page behind the link passes address and token on to the endpoint that signs in.
func (s *Service) login(ctx context.Context, r *api.Request, l linkedUser, _ struct{}) (api.Response, error) {
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
	// The condition keeps a link of a user from appearing after the user's deletion.
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

// loginPage returns where an app's login links lead: to its own login address, or else to the page of the frontend.
func (s *Service) loginPage(r *api.Request, app platformapp.App) string {
	if app.LoginURL != "" {
		return app.LoginURL
	}
	return s.frontend(r) + "/app/login"
}

// frontend returns the address of the site that has the page of login links. It is the configured one, or else the
// API's own as the caller has reached it. The server of sam local always calls itself localhost, and has its port in a
// header only; the local stack's gateway has the port in the name.
func (s *Service) frontend(r *api.Request) string {
	if s.FrontendURL != "" {
		return s.FrontendURL
	}
	base := r.Scheme() + "://" + r.RequestContext.DomainName
	if port := r.Headers["x-forwarded-port"]; port != "" && r.RequestContext.DomainName == "localhost" {
		base += ":" + port
	}
	if stage := r.RequestContext.Stage; stage != "$default" {
		base += "/" + stage
	}
	return base
}
