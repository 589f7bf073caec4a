package user

import (
	"context"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
)

// TokenFunction is the endpoint POST /platform/api/v1/users/{user_id}/token.
func (s *Service) TokenFunction() api.Function {
	return api.Function{Handle: forLinked(s, decodeLife, s.createToken), MaxBody: maxBody}
}

// decodeLife reads for how many seconds a token shall be good. It returns nil when the request does not say, or has
// no body.
func decodeLife(r *api.Request) (seconds *int64, err error) {
	body, err := r.Bytes()
	if err != nil || len(body) == 0 {
		return nil, err
	}
	o, err := r.ParseObject(body)
	if err != nil {
		return nil, err
	}
	if o.Has("expires_in") && !o.Null("expires_in") {
		seconds = new(o.Int("expires_in"))
	}
	return seconds, o.Err()
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
}

// createToken makes the same agent token that a sign-in by a login link makes, for as long as the app asks.
func (s *Service) createToken(ctx context.Context, _ *api.Request, l linked, seconds *int64) (api.Response, error) {
	life, err := tokenLife(seconds)
	if err != nil {
		return api.Response{}, err
	}
	token, err := retry(ctx, s, l.user, func(u User) (userToken, error) {
		item, text := NewToken(u.ID, u.Generation, s.Now().Truncate(time.Second), life)
		tx := s.Table.Tx()
		PutToken(tx, u.ID, item, errMoved)
		return userToken{text, item.ExpiresAt, u.ID}, tx.Run(ctx)
	})
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: token}, nil
}
