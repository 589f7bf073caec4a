package user

import (
	"context"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
)

// TokenFunction is the endpoint POST /platform/api/v1/users/{user_id}/token.
func (s *Service) TokenFunction() api.Function {
	return api.Function{Handle: forLinked(s, decodeTokenRequest, s.createToken), MaxBody: maxBody}
}

// tokenRequest is a request for a token.
type tokenRequest struct {
	seconds  *int64   // for how long the token shall be good; nil if the request does not say
	warnings []string // one for each field that does not exist
}

// decodeTokenRequest reads the request, which may have no body.
func decodeTokenRequest(r *api.Request) (asked tokenRequest, err error) {
	body, err := r.Bytes()
	if err != nil || len(body) == 0 {
		return tokenRequest{}, err
	}
	o, err := r.ParseObject(body)
	if err != nil {
		return tokenRequest{}, err
	}
	if o.Has("expires_in") && !o.Null("expires_in") {
		asked.seconds = new(o.Int("expires_in"))
	}
	asked.warnings = o.Warnings(nil)
	return asked, o.Err()
}

// tokenLife returns how long a token is good that is asked for with this number of seconds.
func tokenLife(seconds *int64) (time.Duration, error) {
	if seconds == nil {
		return TokenLife, nil
	}
	const most = int64(MaxTokenLife / time.Second)
	if *seconds < 1 || *seconds > most {
		var f api.Faults
		f.Add("expires_in", "Expires in must be from 1 to %d seconds", most)
		return 0, f.Err()
	}
	return time.Duration(*seconds) * time.Second, nil
}

// userToken is the JSON form of an agent token.
type userToken struct {
	AccessToken string    `json:"access_token"`
	ExpiresAt   time.Time `json:"expires_at"`
	User        id.ID     `json:"user_id"`
	Warnings    []string  `json:"warnings,omitempty"` // one for each field of the request that does not exist
}

// createToken makes the same agent token that a sign-in by a login link makes, for as long as the app asks.
func (s *Service) createToken(
	ctx context.Context, _ *api.Request, l linkedUser, asked tokenRequest,
) (api.Response, error) {
	life, err := tokenLife(asked.seconds)
	if err != nil {
		return api.Response{}, err
	}
	token, err := s.issue(ctx, l.user, life)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: userToken{
		AccessToken: token.text, ExpiresAt: token.ExpiresAt, User: l.user.ID, Warnings: asked.warnings,
	}}, nil
}
