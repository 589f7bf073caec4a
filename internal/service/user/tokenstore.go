package user

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// Tokens keeps agent tokens, for operators.
type Tokens struct{ Table table.Table }

// Create stores a new token of an existing user, good for life, cut to whole seconds. The text cannot be shown again.
func (s Tokens) Create(
	ctx context.Context, user id.ID, life time.Duration,
) (text string, expires time.Time, err error) {
	if life < time.Second {
		return "", time.Time{}, errors.New("a token must be good for a second at least")
	}
	service := &Service{Table: s.Table}
	u, err := service.get(ctx, user)
	if err != nil {
		return "", time.Time{}, missing(user, err)
	}
	token, err := service.issue(ctx, u, life.Truncate(time.Second))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("write user %d: %w", user, missing(user, err))
	}
	return token.text, token.ExpiresAt, nil
}

// Revoke ends all of a user's agent tokens and login links, also those that are being redeemed at the moment. It
// returns how many records of agent tokens it has deleted. An error together with a number means that all have ended
// but some records are left.
func (s Tokens) Revoke(ctx context.Context, user id.ID) (int, error) {
	service := &Service{Table: s.Table}
	u, err := service.get(ctx, user)
	if err != nil {
		return 0, missing(user, err)
	}
	ended, err := service.endTokens(ctx, u)
	if err != nil {
		return 0, fmt.Errorf("write user %d: %w", user, missing(user, err))
	}
	// From here on the tokens have ended, whatever happens to their records.
	n, err := s.delete(ctx, user, ended)
	if err != nil {
		err = fmt.Errorf("the tokens have ended, but not all of their records are deleted: %w", err)
	}
	return n, err
}

// delete deletes the records of the agent tokens and unanswered logins up to the generation that has ended, and counts
// the tokens. It only tidies up: they have ended already.
func (s Tokens) delete(ctx context.Context, user id.ID, ended int64) (int, error) {
	var unanswered, ofTokens []table.Key
	var items []dynamo.Item
	err := s.Table.Get("PK", table.AgentToken(user, credential.Digest{}).PK).Consistent(true).All(ctx, &items)
	if err != nil {
		return 0, fmt.Errorf("query agent tokens: %w", err)
	}
	tokens, err := table.DecodeAll[Token](items) // and unanswered logins, which have a generation, too
	if err != nil {
		return 0, err
	}
	for _, token := range tokens {
		switch {
		// Made after the revocation: it stays.
		case token.Generation > ended:
		case strings.HasPrefix(token.SK, table.AgentTokens):
			ofTokens = append(ofTokens, token.Key)
		default:
			unanswered = append(unanswered, token.Key)
		}
	}
	n, err := s.Table.DeleteAll(ctx, ofTokens...)
	if err == nil {
		_, err = s.Table.DeleteAll(ctx, unanswered...)
	}
	if err != nil {
		return n, fmt.Errorf("delete agent tokens: %w", err)
	}
	return n, nil
}
