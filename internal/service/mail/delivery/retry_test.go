package delivery

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// TestRetryer: a call is repeated only if its last attempt has certainly sent nothing, and only while there is time.
// If a call is given up in the pause before an attempt, the mail was not sent if the attempt before sent nothing. If
// it is given up during an attempt, the mail may have been sent.
func TestRetryer(t *testing.T) {
	over := &aws.RequestCanceledError{Err: context.DeadlineExceeded}
	tooFast := &types.TooManyRequestsException{Message: aws.String("Maximum sending rate exceeded.")}
	tooMany := &types.TooManyRequestsException{Message: aws.String("Daily message quota exceeded.")}
	refused := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for name, c := range map[string]struct {
		connected bool  // in the last attempt
		last      error // nil for no attempt at all
		again     bool
		want      string
	}{
		"throttled": {
			connected: true,
			last:      tooFast, again: true, want: "the mail was not sent: SES is asked too often at the moment",
		},
		"over the account's quota for the day": {
			connected: true,
			last:      tooMany, want: "the mail was not sent: SES's quota for the day is used up",
		},
		"never connected": {
			last: refused, again: true, want: "the mail was not sent: SES cannot be reached",
		},
		"given up while it connects": {
			last: over, again: true, want: "the mail was not sent: SES cannot be reached",
		},
		"given up while it is sent": {
			connected: true,
			last:      over, want: "the mail may or may not have been sent: SES did not answer in time",
		},
		"no time for any attempt": {want: "the mail was not sent: SES could not be asked within 20s"},
		"a connection that was made and is lost": {
			connected: true,
			last:      errors.New("EOF"), want: "the mail may or may not have been sent: SES did not answer in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &retryer{Retryer: pacing(), until: time.Now().Add(time.Minute), connected: c.connected}
				if c.last != nil && r.IsErrorRetryable(c.last) != c.again {
					t.Errorf("it is repeated: %t, want %t", !c.again, c.again)
				}
				if got := nobodyReached(r.failure(over)).Message; got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				r.until = time.Now().Add(10 * time.Millisecond)
				pause, err := r.RetryDelay(5, c.last)
				if err != nil {
					t.Fatal(err)
				}
				expect.AtLeast(t, pause, 0)
				expect.AtMost(t, pause, 10*time.Millisecond)
				r.until, r.connected = time.Now(), c.connected
				if c.last != nil && r.IsErrorRetryable(c.last) {
					t.Error("it is repeated when the time is over")
				}
			})
		})
	}
}
