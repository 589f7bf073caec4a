package delivery

import (
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
)

// throttled reports whether SES refused a message because it gets too many requests.
func throttled(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && throttlingCodes[api.ErrorCode()] && !overQuota(err)
}

var throttlingCodes = map[string]bool{
	"TooManyRequestsException": true, "ThrottlingException": true, "Throttling": true, "RequestThrottled": true,
}

// overQuota reports whether SES refused a message because the account's daily quota is used up. SES uses the same
// code for messages that come too fast; only the text differs.
// https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
func overQuota(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.Contains(strings.ToLower(api.ErrorMessage()), "daily message quota")
}

// retryer decides whether a call is repeated: only if the message was certainly not sent. The SDK's own retryer would
// also repeat a call whose answer was lost, and the mail would arrive twice.
//
// It remembers how the last attempt ended. The error of the whole call does not tell this if the time runs out in the
// pause between two attempts.
type retryer struct {
	aws.Retryer
	until     time.Time // no attempt begins later
	connected bool      // in the current attempt: without a connection nothing can be sent
	last      error     // of the last finished attempt
	unsent    bool      // that attempt has certainly sent nothing
}

// IsErrorRetryable implements [aws.Retryer].
func (r *retryer) IsErrorRetryable(err error) bool {
	r.last, r.unsent = err, !r.connected || throttled(err)
	r.connected = false
	return r.unsent && time.Now().Before(r.until)
}

// RetryDelay implements [aws.Retryer]. It shortens the pause so that the last attempt begins no later than until. The
// time after that is reserved for SES's answer.
func (r *retryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	pause, err := r.Retryer.RetryDelay(attempt, err)
	return max(0, min(pause, time.Until(r.until))), err
}

// pacing returns the retryer with the pauses between the attempts of a call. They double up to 1.6 s, and their
// upper half is random, so that parallel calls spread. SES limits an account's recipients per second, so waiting
// helps. The attempts end with the request's time, not at a number, and the SDK's own rate limiter is off: it would
// give up earlier.
func pacing() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 1000
		o.RateLimiter = ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			pause := 100 * time.Millisecond << min(attempt, 4)
			return pause/2 + rand.N(pause/2), nil
		})
	})
}
