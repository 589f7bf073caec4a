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
	// failures are younger than that, no password is compared.
	maxFailures   = 10
	failureWindow = 15 * time.Minute
)

// attempts are the sign-ins that failed for an e-mail address, whether a user has it or not. The record has an
// attribute for each, whose name has the time. So one write without a condition adds a failure and drops expired
// ones: a write that is repeated counts once, and no failure is lost to another at the same time.
type attempts struct {
	email   Email
	expired []string // attributes of failures that count no longer
	recent  int      // failures that count
}

// failurePrefix begins the name of such an attribute. The milliseconds since 1970 follow, and letters that tell it from
// others.
const failurePrefix = "failed_"

// attemptsKey is the key of the record; the zero Email has the zero key, at which there is no record.
func (e Email) attemptsKey() table.Key {
	if e.normal == "" {
		return table.Key{}
	}
	return table.SignInAttempts(e.normal)
}

// attemptsIn are the failures of an address among items that were read.
func attemptsIn(items table.Items, e Email, now time.Time) attempts {
	a := attempts{email: e}
	for name := range items[e.attemptsKey()] {
		stamp, ok := strings.CutPrefix(name, failurePrefix)
		if !ok {
			continue
		}
		stamp, _, _ = strings.Cut(stamp, "_")
		if ms, err := strconv.ParseInt(stamp, 10, 64); err != nil || now.Sub(time.UnixMilli(ms)) >= failureWindow {
			a.expired = append(a.expired, name)
		} else {
			a.recent++
		}
	}
	return a
}

func (a attempts) locked() bool { return a.recent >= maxFailures }

// maxDropped keeps the write's expression under DynamoDB's 4 KB.
const maxDropped = 50

// countFailure adds a failure to those that were read. A malformed address has no count.
func (s *Service) countFailure(ctx context.Context, seen attempts, now time.Time) error {
	key := seen.email.attemptsKey()
	if key == (table.Key{}) {
		return nil
	}
	err := s.Table.Update("PK", key.PK).Range("SK", key.SK).
		Set(fmt.Sprintf("%s%d_%s", failurePrefix, now.UnixMilli(), rand.Text()[:8]), true).
		Set(table.ExpiresAt, now.Add(failureWindow).Unix()).
		Remove(seen.expired[:min(len(seen.expired), maxDropped)]...).
		Run(ctx)
	if err != nil {
		return fmt.Errorf("count a failed sign-in: %w", err)
	}
	return nil
}
