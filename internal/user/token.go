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

// tokenItem is an agent token's record: its key has the digest. The token is good until ExpiresAt, and while its user
// has the generation; DynamoDB deletes the record some time after ExpiresAt.
type tokenItem struct {
	table.Key
	CreatedAt  time.Time `dynamo:"created_at"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
	Generation int64     `dynamo:"generation"`
}

// newToken makes an agent token of a user's generation. The text is what its user sends with every request.
func newToken(user id.ID, generation int64, now time.Time, life time.Duration) (item tokenItem, text string) {
	text, digest := credential.Mint(credential.Agent, user)
	return tokenItem{table.AgentToken(user, digest), now, now.Add(life), generation}, text
}

// putToken adds a user's token to a transaction, which fails with ended where the user is gone or has another
// generation.
func putToken(tx *table.Tx, user id.ID, item tokenItem, ended error) {
	t := tx.Table()
	tx.Check(t.CheckItem(table.User(user)).If("generation = ?", item.Generation), ended)
	tx.Put(t.Put(item), nil)
}

// Tokens stores agent tokens, for operators.
type Tokens struct{ Table table.Table }

// Authenticate finds the user of an agent token, in one read. A token that has expired or was ended is refused.
func (s Tokens) Authenticate(ctx context.Context, text string) (id.ID, error) {
	c, ok := credential.Parse(credential.Agent, text)
	if !ok {
		return 0, errUnauthorized
	}
	key := table.AgentToken(c.ID, c.Digest)
	items, err := s.Table.Read(ctx, key, table.User(c.ID))
	if err != nil {
		return 0, err
	}
	var item tokenItem
	found, err := items.Get(key, &item)
	if err != nil {
		return 0, err
	}
	u, exists, err := userIn(items, c.ID)
	if err != nil {
		return 0, err
	}
	if !found || !exists || item.Generation != u.generation || !time.Now().Before(item.ExpiresAt) {
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
	var item tokenItem
	err = s.change(ctx, user, func(u User, tx *table.Tx) {
		item, text = newToken(user, u.generation, time.Now().UTC().Truncate(time.Second), life.Truncate(time.Second))
		putToken(tx, user, item, errChanged)
	})
	if err != nil {
		return "", time.Time{}, err
	}
	return text, item.ExpiresAt, nil
}

// Revoke ends all of a user's agent tokens and login links, those too that are being redeemed at the moment, and counts
// the agent tokens that it has deleted. Where its error comes with a count, all have ended, but some records are left.
func (s Tokens) Revoke(ctx context.Context, user id.ID) (int, error) {
	var ended int64
	err := s.change(ctx, user, func(u User, tx *table.Tx) {
		ended = u.generation
		t, owner := tx.Table(), ownerKey(u.Email)
		tx.Update(t.UpdateItem(table.User(user)).Set("generation", ended+1).If("generation = ?", ended), errChanged)
		tx.Update(t.UpdateItem(owner).Set("generation", ended+1).If("'user' = ?", user), errChanged)
	})
	if err != nil {
		return 0, err
	}
	n, err := s.delete(ctx, user, ended)
	if err != nil {
		err = fmt.Errorf("the tokens have ended, but not all of their records are deleted: %w", err)
	}
	return n, err
}

var errChanged = errors.New("the user was changed by somebody else at the same time, please try again")

// change writes what write adds to a transaction for a user as it was read, again where that fails with errChanged.
func (s Tokens) change(ctx context.Context, user id.ID, write func(User, *table.Tx)) error {
	_, err := table.Retry(ctx, errChanged, func() (struct{}, error) {
		items, err := s.Table.Read(ctx, table.User(user))
		if err != nil {
			return struct{}{}, err
		}
		u, found, err := userIn(items, user)
		if err != nil {
			return struct{}{}, err
		}
		if !found {
			return struct{}{}, fmt.Errorf("there is no user %d", user)
		}
		tx := s.Table.Tx()
		write(u, tx)
		if err := tx.Run(ctx); err != nil {
			return struct{}{}, fmt.Errorf("write user %d: %w", user, err)
		}
		return struct{}{}, nil
	})
	return err
}

// delete deletes the records of the agent tokens that ended with a generation, and counts them. It only tidies up.
func (s Tokens) delete(ctx context.Context, user id.ID, ended int64) (int, error) {
	var keys []table.Key
	var tokens []tokenItem
	err := s.Table.Get("PK", table.AgentToken(user, credential.Digest{}).PK).Consistent(true).All(ctx, &tokens)
	if err != nil {
		return 0, fmt.Errorf("query agent tokens: %w", err)
	}
	for _, token := range tokens {
		if token.Generation <= ended {
			keys = append(keys, token.Key)
		}
	}
	n, err := s.Table.DeleteAll(ctx, keys...)
	if err != nil {
		return n, fmt.Errorf("delete agent tokens: %w", err)
	}
	return n, nil
}
