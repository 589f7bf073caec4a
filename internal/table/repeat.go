package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"frontdesk/internal/api"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// What a call ends with that was repeated for as long as there was time. The error of the last attempt is with it.
var (
	errConflict  = api.Errorf(api.Conflict, "Too many changes at once, please try again")
	errThrottled = api.Errorf(api.Unavailable, "Too many requests at once, please try again")
	// ErrUnknown is for a call of which nobody can tell whether it was done, or will be: answers were lost, or DynamoDB
	// was still at work on it.
	ErrUnknown = api.Errorf(api.Unavailable, "Not available at the moment, please try again")
)

// trouble is why a call is made again.
type trouble int

const (
	none       trouble = iota // another attempt would end as this one
	conflict                  // with a transaction on the same items
	throttled                 // more than the table, or a partition of it, takes
	lost                      // a connection, or DynamoDB's own failure
	inProgress                // an earlier attempt at the same transaction is still under way
)

var troubles = [...]struct {
	// first bounds the pause after the first attempt; the bound doubles with each further one, up to longest. The pause
	// is random below it: those who met do not meet again.
	first, longest time.Duration
	end            error
}{
	conflict:  {20 * time.Millisecond, 400 * time.Millisecond, errConflict},
	throttled: {50 * time.Millisecond, 2 * time.Second, errThrottled},
	lost:      {25 * time.Millisecond, 400 * time.Millisecond, ErrUnknown},
	// AWS asks for an attempt later than 5 s after the first, which makes DynamoDB complete the transaction: the
	// errors of https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
	inProgress: {500 * time.Millisecond, time.Second, ErrUnknown},
}

const (
	// defaultTime is how long a caller without a deadline, such as the operators' tool, has a call repeated.
	defaultTime = 10 * time.Second
	// attemptTime is what an attempt is given before the deadline at least: a later one is not begun.
	attemptTime = 500 * time.Millisecond
)

// attempts are those at one call.
type attempts struct {
	deadline time.Time
	needed   time.Duration // for another one
	made     int
}

func newAttempts(ctx context.Context) *attempts {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(defaultTime)
	}
	return &attempts{deadline: deadline, needed: attemptTime}
}

// pause waits before the next attempt. It is false when there is no time for one.
func (a *attempts) pause(ctx context.Context, why trouble) bool {
	left := time.Until(a.deadline) - a.needed
	if left <= 0 || ctx.Err() != nil {
		return false
	}
	t := troubles[why]
	bound := min(t.first<<min(a.made, 10), t.longest, left)
	a.made++
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rand.N(bound)):
		return true
	}
}

// briefly is the key of a context whose calls are given up soon.
type briefly struct{}

// Briefly makes a context whose calls end with [ErrUnknown] after two attempts without an answer. It is for a caller
// who has to write something else then.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, briefly{}, true) }

// addRepeat has every call repeated until the context's deadline, which in a function [api.Function] sets before
// Lambda's. It takes the place of the SDK's retryer, which knows no deadline.
//
// An attempt without an answer may reach DynamoDB after the one that repeats it, and after what others have written
// since. It must not undo that. So a write is a transaction, or it is one of these:
//
//   - The record of an Idempotency-Key (delivery): each write has a higher version, and replaces lower ones alone.
//   - The recipients of a day (mailkey.Key.Reserve): the update leaves its name, and is not applied on top of itself.
//     After another mail's update it may be: then the quota is used up sooner, and never passed.
//   - An attempt to sign in (attempts): its mark is unique, and a set holds it once. One that comes back after it was
//     taken back counts as a failure until its 15 minutes are over.
//   - A login without an answer (signin), an event of a mail (maillog): the same item under the same key again.
//   - A mail's entry in the log (maillog): the same values again, and a set that only grows.
//   - The end of a credential ([Table.Revoke]): the time of the first end stays.
//   - The deletion of ended tokens ([Table.DeleteAll]): nobody writes their keys again, which have random secrets.
//
// A transaction has a client token, which all attempts at it share: DynamoDB applies it once. It remembers the token
// for 10 minutes, which is longer than anything is repeated.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func addRepeat(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Repeat", repeat), middleware.After)
}

func repeat(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	unanswered := 0 // attempts, of unknown end
	soon := ctx.Value(briefly{}) != nil
	for a := newAttempts(ctx); ; {
		began := time.Now()
		out, metadata, err = next.HandleInitialize(ctx, in)
		if err == nil {
			return out, metadata, nil
		}
		why := troubleOf(ctx, err)
		if why == none && unanswered > 0 {
			// This attempt was refused. An earlier one may still arrive, and succeed.
			err = fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		if why == none {
			return out, metadata, err
		}
		if troubles[why].end == ErrUnknown {
			unanswered++
		}
		if unanswered == 0 {
			// Nobody could tell what became of an attempt that the deadline cuts: one that may take as long as the
			// slowest is not begun.
			a.needed = max(a.needed, 2*time.Since(began))
		}
		if !(soon && unanswered == 2) && a.pause(ctx, why) {
			continue
		}
		end := troubles[why].end
		if unanswered > 0 {
			end = ErrUnknown
		}
		return out, metadata, fmt.Errorf("%w: %w", end, err)
	}
}

// transient are the errors that the SDK takes for passing. The throttling ones have a code of their own.
var (
	transient  = retry.IsErrorRetryables(retry.DefaultRetryables)
	throttling = retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}
)

// troubleOf is what an attempt met.
func troubleOf(ctx context.Context, err error) trouble {
	var (
		cancelled *types.TransactionCanceledException
		met       *types.TransactionConflictException
		underWay  *types.TransactionInProgressException
	)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return lost
	case errors.As(err, &cancelled):
		return troubleIn(cancelled.CancellationReasons)
	case errors.As(err, &met):
		return conflict
	case errors.As(err, &underWay):
		return inProgress
	case throttling.IsErrorThrottle(err) == aws.TrueTernary:
		return throttled
	case transient.IsErrorRetryable(err) == aws.TrueTernary || errors.Is(err, io.ErrUnexpectedEOF):
		return lost
	}
	return none
}

// troubleIn is what cancelled a transaction; none where another attempt cannot help.
func troubleIn(reasons []types.CancellationReason) trouble {
	why := none
	for _, reason := range reasons {
		switch aws.ToString(reason.Code) {
		case "", "None":
		case "TransactionConflict":
			why = max(why, conflict)
		case "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded":
			why = throttled
		default:
			return none
		}
	}
	return why
}

// Retry makes a change that reads, and then writes on condition that what it has read is still so. Where change
// returns stale it is called again, until the context's deadline.
func Retry[T any](ctx context.Context, stale error, change func() (T, error)) (result T, err error) {
	for a := newAttempts(ctx); ; {
		result, err = change()
		if !errors.Is(err, stale) || !a.pause(ctx, conflict) {
			return result, err
		}
	}
}

// RetryFrom is [Retry] of a change to what was read before: where that is stale, the change is made to what
// reread gives.
func RetryFrom[R, T any](
	ctx context.Context, stale error, read R, reread func() (R, error), change func(R) (T, error),
) (T, error) {
	next := func() (R, error) { return read, nil }
	return Retry(ctx, stale, func() (result T, err error) {
		read, err := next()
		if err != nil {
			return result, err
		}
		next = reread
		return change(read)
	})
}
