package mail

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// TestVerdictWhenTimeIsOver: a call that is given up while the next attempt is waited for was not sent if the
// last one was not; one that is given up in the middle of an attempt may have been.
func TestVerdictWhenTimeIsOver(t *testing.T) {
	over := &aws.RequestCanceledError{Err: context.DeadlineExceeded}
	for name, c := range map[string]struct {
		last error
		want string
	}{
		"after a throttled attempt":   {&types.TooManyRequestsException{}, "the mail was not sent: SES is asked too often at the moment"},
		"after one that never dialed": {&net.OpError{Op: "dial", Err: errors.New("refused")}, "the mail was not sent: SES cannot be reached"},
		"during an attempt":           {over, "the mail may or may not have been sent: SES did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			verdicts := &verdicts{Retryer: retryer()}
			verdicts.IsErrorRetryable(c.last)
			if got := sendFault(over, verdicts.last); got.rejection().Reason != c.want {
				t.Errorf("%q, want %q", got.rejection().Reason, c.want)
			}
		})
	}
}
