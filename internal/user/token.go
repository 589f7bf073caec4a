package user

import (
	"context"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// TokenLife is how long an agent token is good. A user who has one is signed in.
const TokenLife = 30 * 24 * time.Hour

// Token is an agent token's record: its key has the digest. The token is good until ExpiresAt, and while its user
// has the generation; DynamoDB deletes the record some time after ExpiresAt.
type Token struct {
	table.Key
	CreatedAt  time.Time `dynamo:"created_at"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
	Generation int64     `dynamo:"generation"`
}

// NewToken makes an agent token of a user's generation. The text is what its user sends with every request.
func NewToken(user id.ID, generation int64, now time.Time, life time.Duration) (item Token, text string) {
	text, digest := credential.Mint(credential.Agent, user)
	return Token{
		Key:        table.AgentToken(user, digest),
		CreatedAt:  now,
		ExpiresAt:  now.Add(life),
		Generation: generation,
	}, text
}

// PutToken adds a user's token to a transaction, which fails with ended where the user is gone or has
// another generation.
func PutToken(tx *table.Tx, user id.ID, item Token, ended error) {
	t := tx.Table()
	tx.Check(t.CheckItem(table.User(user)).If("generation = ?", item.Generation), ended)
	tx.Put(t.Put(item), nil)
}

// TokenFunction is the endpoint POST /platform/api/v1/users/{user_id}/token.
func (s *Service) TokenFunction() api.Function {
	return api.Function{Handle: forLinked(s, nil, s.createToken)}
}

// userToken is an agent token as an app gets it.
type userToken struct {
	AccessToken string    `json:"access_token"`
	ExpiresAt   time.Time `json:"expires_at"`
	User        id.ID     `json:"user_id"`
}

// createToken makes the agent token that a login link would end in.
func (s *Service) createToken(ctx context.Context, _ *api.Request, l linked, _ struct{}) (api.Response, error) {
	token, err := retry(ctx, s, l.user, func(u User) (userToken, error) {
		item, text := NewToken(u.ID, u.Generation, s.Now().Truncate(time.Second), TokenLife)
		tx := s.Table.Tx()
		PutToken(tx, u.ID, item, errMoved)
		return userToken{text, item.ExpiresAt, u.ID}, tx.Run(ctx)
	})
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: token}, nil
}
