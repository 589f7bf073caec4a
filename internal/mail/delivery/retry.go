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

// throttled reports SES's answer to a message that it did not take because it was asked too often.
func throttled(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && throttlingCodes[api.ErrorCode()] && !overQuota(err)
}

var throttlingCodes = map[string]bool{
	"TooManyRequestsException": true, "ThrottlingException": true, "Throttling": true, "RequestThrottled": true,
}

// overQuota reports SES's answer to a message that is over what the account may send in a day. Its code is that of
// messages that come too fast; only the text tells them apart.
// https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
func overQuota(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.Contains(strings.ToLower(api.ErrorMessage()), "daily message quota")
}

// retryer decides whether a call is repeated: only what was certainly not sent. The SDK's own retryer would also repeat
// a call whose answer was lost, and the mail would arrive twice.
//
// It remembers how the last try ended: when the time is over in the pause before the next one, the error of the call
// does not tell.
type retryer struct {
	aws.Retryer
	until     time.Time // no try begins after
	connected bool      // in the try that is under way: without a connection nothing can be sent
	last      error     // of the last try that has ended
	unsent    bool      // for certain, by that try
}

// IsErrorRetryable implements [aws.Retryer].
func (r *retryer) IsErrorRetryable(err error) bool {
	r.last, r.unsent = err, !r.connected || throttled(err)
	r.connected = false
	return r.unsent && time.Now().Before(r.until)
}

// RetryDelay implements [aws.Retryer]. The last try begins when no other may any more: what is kept after that is all
// for SES's answer.
func (r *retryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	pause, err := r.Retryer.RetryDelay(attempt, err)
	return max(0, min(pause, time.Until(r.until))), err
}

// pacing has the pauses between the tries of a call. SES's rate is that of an account, in recipients a second: the
// tries end with the time that a request has, not at a number.
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
