package table

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// changeAttempts is how often [Retry] makes a change before its client is told to.
const changeAttempts = 5

// Retry makes a change that reads, and then writes on condition that what it has read is still so. Where change
// returns stale, it is called again, at most 5 times in all.
func Retry[T any](ctx context.Context, stale error, change func() (T, error)) (result T, err error) {
	for attempt := range changeAttempts {
		if result, err = change(); !errors.Is(err, stale) || attempt == changeAttempts-1 {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, err
		case <-time.After(rand.N(20 * time.Millisecond << attempt)): // random: those who met do not meet again
		}
	}
	return result, err
}
