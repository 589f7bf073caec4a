package user

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// TokenLife is how long an agent token is good. A user who has one is signed in.
const TokenLife = 30 * 24 * time.Hour

// tokenItem is an agent token's record: its key has the digest. The token is good until ExpiresAt; DynamoDB deletes the
// record some time after that.
type tokenItem struct {
	table.Key
	CreatedAt time.Time `dynamo:"created_at"`
	ExpiresAt time.Time `dynamo:"expires_at,unixtime"`
}

// newToken makes an agent token. The text is what its user sends with every request.
func newToken(user id.ID, now time.Time, life time.Duration) (item tokenItem, text string) {
	text, digest := credential.Mint(credential.Agent, user)
	return tokenItem{table.AgentToken(user, digest), now, now.Add(life)}, text
}

// Tokens stores agent tokens, for operators.
type Tokens struct{ Table table.Table }

// Authenticate finds the user of an agent token, in one read. An expired token is refused.
func (s Tokens) Authenticate(ctx context.Context, text string) (id.ID, error) {
	c, ok := credential.Parse(credential.Agent, text)
	if !ok {
		return 0, errUnauthorized
	}
	key := table.AgentToken(c.ID, c.Digest)
	items, err := s.Table.Read(ctx, key)
	if err != nil {
		return 0, err
	}
	var item tokenItem
	found, err := items.Get(key, &item)
	if err != nil {
		return 0, err
	}
	if !found || !time.Now().Before(item.ExpiresAt) {
		return 0, errUnauthorized
	}
	return c.ID, nil
}

// Create stores a new token of an existing user, good for life, in whole seconds. The text cannot be shown again.
func (s Tokens) Create(
	ctx context.Context, user id.ID, life time.Duration,
) (text string, expires time.Time, err error) {
	if life < time.Second {
		return "", time.Time{}, errors.New("a token must be good for a second at least")
	}
	item, text := newToken(user, time.Now().UTC().Truncate(time.Second), life.Truncate(time.Second))
	k := table.User(user)
	missing := fmt.Errorf("there is no user %d", user)
	tx := s.Table.Tx()
	tx.Check(s.Table.Check("PK", k.PK).Range("SK", k.SK).IfExists(), missing)
	tx.Put(s.Table.Put(item), nil)
	switch err := tx.Run(ctx); {
	case err == missing:
		return "", time.Time{}, missing
	case err != nil:
		return "", time.Time{}, fmt.Errorf("put agent token: %w", err)
	}
	return text, item.ExpiresAt, nil
}

// Revoke deletes every token of a user and counts them.
func (s Tokens) Revoke(ctx context.Context, user id.ID) (int, error) {
	items, err := s.Table.Read(ctx, table.User(user))
	if err != nil {
		return 0, err
	}
	if len(items) == 0 {
		return 0, fmt.Errorf("there is no user %d", user)
	}
	var tokens []table.Key
	err = s.Table.Get("PK", table.AgentToken(user, credential.Digest{}).PK).Consistent(true).All(ctx, &tokens)
	if err != nil {
		return 0, fmt.Errorf("query agent tokens: %w", err)
	}
	n, err := s.Table.DeleteAll(ctx, tokens...)
	if err != nil {
		return n, fmt.Errorf("delete agent tokens: %w", err)
	}
	return n, nil
}
