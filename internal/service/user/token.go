package user

import (
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
	tx.Check(t.CheckItem(table.User(user)).If("generation = ?", item.Generation), ended)
	tx.Put(t.Put(item), nil)
}

// endTokens adds to a transaction that the user's generation rises, which ends all of the user's agent tokens and login
// links. The transaction fails with moved when the user is no longer as it was read.
func endTokens(tx *table.Tx, u User, moved error) {
	t, next := tx.Table(), u.Generation+1
	tx.Update(t.UpdateItem(table.User(u.ID)).Set("generation", next).If("generation = ?", u.Generation), moved)
	tx.Update(t.UpdateItem(OwnerKey(u.Email)).Set("generation", next).If("'user' = ?", u.ID), moved)
}
