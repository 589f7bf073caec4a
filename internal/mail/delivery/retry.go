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
	return errors.As(err, &api) && throttlings[api.ErrorCode()] && !overQuota(err)
}

var throttlings = map[string]bool{
	"TooManyRequestsException": true, "ThrottlingException": true, "Throttling": true, "RequestThrottled": true,
}

// overQuota reports SES's answer to a message that is over what the account may send in a day. Its code is that of
// messages that come too fast: only the text tells.
// https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
func overQuota(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.Contains(strings.ToLower(api.ErrorMessage()), "daily message quota")
}

// verdicts remembers how the last attempt of a call ended. When the time is over while the next one is waited
// for, the call's own error no longer tells.
type verdicts struct {
	aws.Retryer
	until     time.Time
	connected bool // in the attempt that is under way: without a connection nothing can be sent
	last      error
	unsent    bool // for certain, in the last attempt that has ended
}

// IsErrorRetryable repeats only what was certainly not sent. The SDK's own retryer would also repeat a call whose
// answer was lost, and the mail would arrive twice.
func (v *verdicts) IsErrorRetryable(err error) bool {
	v.last, v.unsent = err, !v.connected || throttled(err)
	v.connected = false
	return v.unsent && time.Now().Before(v.until)
}

// retryer paces the attempts. SES's rate is that of an account, in recipients a second: it is for the time that a
// request has, not for a number of attempts, to end them.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 1000
		o.RateLimiter = ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			pause := 100 * time.Millisecond << min(attempt, 4)
			return pause/2 + rand.N(pause/2), nil
		})
	})
}
