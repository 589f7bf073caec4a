package user

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/table"
)

const (
	// maxFailures is how many sign-ins may fail for an e-mail address within failureWindow: as long as so many
	// are younger than that, no password is tried.
	maxFailures   = 10
	failureWindow = 15 * time.Minute
)

// attempts are the sign-ins that failed for an e-mail address, whether it is anybody's or not. In the record
// each is an attribute, whose name has its time. So one write without a condition adds one and drops old ones:
// repeated it counts once, and none is lost to another at the same time.
type attempts struct {
	email Email
	old   []string // attributes of failures that count no longer
	fresh int      // failures that do
}

// failed is what such an attribute's name begins with; the milliseconds since 1970 follow, and letters that
// tell it from others.
const failed = "failed_"

// attemptsKey is where they stand; the zero Email has the zero key, at which nothing is.
func (e Email) attemptsKey() table.Key {
	if e.normal == "" {
		return table.Key{}
	}
	return table.SignInAttempts(e.normal)
}

// attemptsIn are the failures among items that were read.
func attemptsIn(items table.Items, e Email, now time.Time) attempts {
	a := attempts{email: e}
	for name := range items[e.attemptsKey()] {
		stamp, ok := strings.CutPrefix(name, failed)
		if !ok {
			continue
		}
		stamp, _, _ = strings.Cut(stamp, "_")
		if ms, err := strconv.ParseInt(stamp, 10, 64); err != nil || now.Sub(time.UnixMilli(ms)) >= failureWindow {
			a.old = append(a.old, name)
		} else {
			a.fresh++
		}
	}
	return a
}

func (a attempts) locked() bool { return a.fresh >= maxFailures }

// maxDropped keeps the write's expression under DynamoDB's 4 KB.
const maxDropped = 50

// countFailure adds a failure to those that were seen. An address that is none has no count.
func (s *Service) countFailure(ctx context.Context, seen attempts, now time.Time) error {
	key := seen.email.attemptsKey()
	if key == (table.Key{}) {
		return nil
	}
	err := s.Table.Update("PK", key.PK).Range("SK", key.SK).
		Set(fmt.Sprintf("%s%d_%s", failed, now.UnixMilli(), rand.Text()[:8]), true).
		Set(table.ExpiresAt, now.Add(failureWindow).Unix()).
		Remove(seen.old[:min(len(seen.old), maxDropped)]...).
		Run(ctx)
	if err != nil {
		return fmt.Errorf("count a failed sign-in: %w", table.Single(err))
	}
	return nil
}
