package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"frontdesk/internal/base/api"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// The errors of a call that was repeated until its time was over. They wrap the error of the last attempt.
var (
	errConflict  = api.Errorf(api.Conflict, "Too many changes at once, please try again")
	errThrottled = api.Errorf(api.Unavailable, "Too many requests at once, please try again")
	// ErrUnknown means that nobody can tell whether the call was done or still will be: answers were lost, or DynamoDB
	// was still working on it.
	ErrUnknown = api.Errorf(api.Unavailable, "Not available at the moment, please try again")
)

// trouble is the reason for another attempt.
type trouble int

const (
	none       trouble = iota // another attempt would end the same way
	conflict                  // another transaction changed the same items
	throttled                 // over the capacity of the table or of a partition
	lost                      // a connection was lost, or DynamoDB itself failed
	inProgress                // an earlier attempt at the same transaction is still running
)

// troubles says for each trouble how long to pause, and with which error the call ends when its time is over.
var troubles = [...]struct {
	// first limits the pause after the first attempt. The limit doubles with each attempt, up to longest. The pause is
	// a random time below the limit, so that two calls that collided do not collide again.
	first, longest time.Duration
	end            error
}{
	conflict:  {20 * time.Millisecond, 400 * time.Millisecond, errConflict},
	throttled: {50 * time.Millisecond, 2 * time.Second, errThrottled},
	lost:      {25 * time.Millisecond, 400 * time.Millisecond, ErrUnknown},
	// The first attempt may hold the transaction. AWS asks for another attempt more than 5 s after it, which makes
	// DynamoDB complete the transaction; see the errors of
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
	inProgress: {500 * time.Millisecond, time.Second, ErrUnknown},
}

const (
	// defaultTime is how long a call is repeated if its context has no deadline, as in the operators' tool.
	defaultTime = 10 * time.Second
	// attemptTime is the least time that an attempt needs before the deadline. With less time left, none begins.
	attemptTime = 500 * time.Millisecond
)

// attempts counts the attempts at one call, and knows when to stop.
type attempts struct {
	deadline time.Time
	needed   time.Duration // how much time another attempt needs
	made     int
}

func newAttempts(ctx context.Context) *attempts {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(defaultTime)
	}
	return &attempts{deadline: deadline, needed: attemptTime}
}

// pause waits before the next attempt. It returns false if there is no time for one.
func (a *attempts) pause(ctx context.Context, why trouble) bool {
	remaining := time.Until(a.deadline) - a.needed
	if remaining <= 0 || ctx.Err() != nil {
		return false
	}
	t := troubles[why]
	bound := min(t.first<<min(a.made, 10), t.longest, remaining)
	a.made++
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rand.N(bound)):
		return true
	}
}

// briefly is the context key of [Briefly].
type briefly struct{}

// Briefly returns a context whose calls end with [ErrUnknown] after two attempts without an answer. It is for a caller
// that wants to use the remaining time to write something else.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, briefly{}, true) }

// addRepeat repeats every call until the context's deadline. In a function, [api.Function] sets this deadline before
// Lambda's. It replaces the SDK's retryer, which knows no deadline.
//
// An attempt without an answer may reach DynamoDB late: after the attempt that repeats it, and after later writes of
// others. It must not undo those. So each write is either a transaction or one of these:
//
//   - The record of an Idempotency-Key (delivery): each write has a higher version, and replaces only lower ones.
//   - The recipients of a day (mailkey.Key.Reserve): the update stores its name, and is not applied again while that
//     name is the stored one. After another mail's update it can be applied twice. Then the quota is used up early,
//     never exceeded.
//   - An attempt to sign in (attempts): it adds a unique mark to a set, which holds the mark once. If it arrives after
//     the mark was removed, it counts as a failure until its 15 minutes are over.
//   - A login without an answer (signin), an event of a mail (maillog): the same item under the same key again.
//   - A mail's entry in the log (maillog): the same values again, and a set that only grows.
//   - The end of a credential ([Table.Revoke]): the time of the first end stays.
//   - The deletion of ended tokens ([Table.DeleteAll]): their keys contain random secrets, so nobody writes them again.
//
// All attempts at a transaction share a client token, so DynamoDB applies it once. DynamoDB remembers the token for 10
// minutes, which is longer than any call is repeated.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func addRepeat(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Repeat", repeat), middleware.After)
}

// repeat is the middleware of [addRepeat]. Once an attempt went unanswered, the call can only succeed or end with
// [ErrUnknown]: a later refusal does not prove that the unanswered attempt failed. Whether it does for a transaction,
// [Tx.Run] knows by its conditions: see [Final].
func repeat(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	unanswered := 0 // attempts whose outcome is unknown
	soon := ctx.Value(briefly{}) != nil
	for a := newAttempts(ctx); ; {
		began := time.Now()
		out, metadata, err = next.HandleInitialize(ctx, in)
		if err == nil {
			return out, metadata, nil
		}
		why := troubleOf(ctx, err)
		if why == none && unanswered > 0 {
			// DynamoDB refused this attempt, but an earlier one may still arrive and succeed.
			err = fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		if why == none {
			return out, metadata, err
		}
		if troubles[why].end == ErrUnknown {
			unanswered++
		}
		if unanswered == 0 {
			// An attempt that the deadline interrupts has an unknown outcome. So none begins that could not finish even
			// if it took twice as long as the slowest one so far.
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

// transient matches the errors that the SDK considers temporary. Throttling has codes of its own.
var (
	transient  = retry.IsErrorRetryables(retry.DefaultRetryables)
	throttling = retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}
)

// troubleOf classifies the error of an attempt. The deadline comes first: an attempt that it interrupted may have
// arrived, whatever error it returned.
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

// troubleIn classifies the reasons for which a transaction was cancelled, one per operation. It returns none if any of
// them, such as a failed condition, would stay the same in another attempt.
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

// Retry runs a change that reads, and then writes on the condition that nothing it read has changed. While change
// returns stale, Retry calls it again, until the context's deadline. It does not repeat a change of which nobody knows
// whether it was written or still will be ([ErrUnknown]): the next one could be written beside it.
func Retry[T any](ctx context.Context, stale error, change func() (T, error)) (result T, err error) {
	for a := newAttempts(ctx); ; {
		result, err = change()
		if !errors.Is(err, stale) || errors.Is(err, ErrUnknown) || !a.pause(ctx, conflict) {
			return result, err
		}
	}
}

// RetryFrom is [Retry] for a change to something that was read before. If that turns out stale, the next attempt
// changes what reread returns.
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
