package user

import (
	"context"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// How long an agent token is good: by default, and at most when an app says how long. A user who has a token is
// signed in.
const (
	TokenLife    = 30 * 24 * time.Hour
	MaxTokenLife = 365 * 24 * time.Hour
)

// Token is the record of an agent token; its key has the digest. The token is good until ExpiresAt, and while its user
// has this generation. DynamoDB deletes the record some time after ExpiresAt.
type Token struct {
	table.Key
	CreatedAt  time.Time `dynamo:"created_at"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
	Generation int64     `dynamo:"generation"`
}

// NewToken makes an agent token of a user's generation. The text is what the user's client sends with every request;
// only its digest is stored.
func NewToken(user id.ID, generation int64, now time.Time, life time.Duration) (item Token, text string) {
	text, digest := credential.Mint(credential.Agent, user)
	return Token{
		Key:        table.AgentToken(user, digest),
		CreatedAt:  now,
		ExpiresAt:  now.Add(life),
		Generation: generation,
	}, text
}

// PutToken adds a user's token to a transaction, which fails with ended when the user is gone or has
// another generation.
func PutToken(tx *table.Tx, user id.ID, item Token, ended error) {
	t := tx.Table()
	tx.Check(t.CheckItem(table.User(user)).If("generation = ?", item.Generation), table.Final(ended))
	tx.Put(t.Put(item), nil)
}

// issued is an agent token that is stored, with the text that the user's client sends.
type issued struct {
	Token
	text string
}

// issue stores a new agent token of a user that was read.
func (s *Service) issue(ctx context.Context, u User, life time.Duration) (issued, error) {
	return retry(ctx, s, u, func(u User) (issued, error) {
		item, text := NewToken(u.ID, u.Generation, s.Now().Truncate(time.Second), life)
		tx := s.Table.Tx()
		PutToken(tx, u.ID, item, errMoved)
		return issued{item, text}, tx.Run(ctx)
	})
}

// endTokens ends all agent tokens and login links of a user that was read: the user's generation rises. It returns the
// generation that has ended.
func (s *Service) endTokens(ctx context.Context, u User) (ended int64, err error) {
	return retry(ctx, s, u, func(u User) (int64, error) {
		tx, next := s.Table.Tx(), u.Generation+1
		tx.Update(s.Table.UpdateItem(table.User(u.ID)).Set("generation", next).
			If("generation = ?", u.Generation), table.Final(errMoved))
		tx.Update(s.Table.UpdateItem(OwnerKey(u.Email)).Set("generation", next).If("'user' = ?", u.ID), errMoved)
		return u.Generation, tx.Run(ctx)
	})
}
