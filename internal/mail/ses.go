package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"frontdesk/internal/awsconf"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// SES sends finished messages.
type SES struct {
	client           *sesv2.Client
	configurationSet *string // nil: the default one of the sender's identity, if it has one
}

// NewSES makes a SES from a function's environment. The configuration set says what becomes of the events of
// a mail, such as its bounce; it may be empty.
func NewSES(configurationSet string) *SES {
	s := &SES{client: sesv2.NewFromConfig(awsconf.New(awsconf.Service{
		Name: "SESV2", Retryer: retryer,
		// A call on a connection that SES has closed is lost, and cannot be repeated. One that is this young is open.
		IdleTimeout: 5 * time.Second,
	}), sesv2.WithAPIOptions(streamRaw))}
	if configurationSet != "" {
		s.configurationSet = &configurationSet
	}
	return s
}

// send hands a message over for the recipients of an envelope, 50 at the most, and gives SES's id of it.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func (s *SES) send(ctx context.Context, e envelope, message []byte) (id string, fault *sendError) {
	verdicts := &verdicts{}
	out, err := s.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress:     &e.from,
		Destination:          &types.Destination{ToAddresses: e.to, CcAddresses: e.cc, BccAddresses: e.bcc},
		Content:              &types.EmailContent{Raw: &types.RawMessage{Data: message}},
		ConfigurationSetName: s.configurationSet,
		EmailTags:            e.tags,
	}, func(o *sesv2.Options) { verdicts.Retryer, o.Retryer = o.Retryer, verdicts })
	if err != nil {
		return "", sendFault(err, verdicts.last)
	}
	return aws.ToString(out.MessageId), nil
}

// sendError is a message that SES did not take, or of which nobody knows whether it did.
type sendError struct {
	unknown bool   // it may have been taken
	reason  string // for the mail's sender
	code    string // for the log: it names nobody
}

func (e *sendError) rejection() *Rejection {
	if e.unknown {
		return coded(e.code, reject("the mail may or may not have been sent: %s", e.reason))
	}
	return coded(e.code, reject("the mail was not sent: %s", e.reason))
}

// throttled are SES's answers to a message that it did not take because it was asked too often.
var throttled = retry.RetryableErrorCode{Codes: map[string]struct{}{
	"TooManyRequestsException": {},
	"ThrottlingException":      {},
	"Throttling":               {},
	"RequestThrottled":         {},
}}

// undelivered reports a connection that was never made, or not with SES: nothing can have been sent over it.
func undelivered(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	_, unverified := errors.AsType[*tls.CertificateVerificationError](err)
	return ok && op.Op == "dial" || unverified
}

// verdicts remembers how the last attempt of a call ended. When the time is over while the next one is waited
// for, the call's own error no longer tells.
type verdicts struct {
	aws.Retryer
	last error
}

func (v *verdicts) IsErrorRetryable(err error) bool {
	v.last = err
	return v.Retryer.IsErrorRetryable(err)
}

// retryer repeats only what was certainly not sent. The SDK's own would also repeat a call whose answer was
// lost, and the mail would arrive twice.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 6
		o.RateLimiter = ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			pause := min(100*time.Millisecond<<attempt, 2*time.Second)
			return pause/2 + rand.N(pause/2), nil
		})
		o.Retryables = []retry.IsErrorRetryable{
			throttled,
			retry.IsErrorRetryableFunc(func(err error) aws.Ternary { return aws.BoolTernary(undelivered(err)) }),
		}
	})
}

// sendFault says of a failed call, whose last attempt ended with last, what its caller needs to know: whether
// to send again.
func sendFault(err, last error) *sendError {
	if undelivered(last) {
		return &sendError{reason: "SES cannot be reached", code: "unreachable"}
	}
	if throttled.IsErrorRetryable(last) == aws.TrueTernary {
		return &sendError{reason: "SES is asked too often at the moment", code: "throttled"}
	}
	var (
		response *smithyhttp.ResponseError
		api      smithy.APIError
	)
	if errors.As(err, &response) && response.HTTPStatusCode()/100 == 4 && errors.As(err, &api) {
		if ours[api.ErrorCode()] { // SES's text names accounts and roles, which are not the sender's to know
			return &sendError{reason: fmt.Sprintf("SES does not let the service send it (%s)", api.ErrorCode()), code: api.ErrorCode()}
		}
		return &sendError{reason: fmt.Sprintf("SES refused it: %s: %s", api.ErrorCode(), shorten(api.ErrorMessage(), 500)), code: api.ErrorCode()}
	}
	return &sendError{unknown: true, reason: lost(err), code: "lost"}
}

// ours are SES's refusals that are about the service, not about the mail.
var ours = map[string]bool{
	"AccessDeniedException": true, "UnrecognizedClientException": true, "InvalidSignatureException": true,
	"ExpiredTokenException": true, "IncompleteSignature": true, "SignatureDoesNotMatch": true, "InvalidClientTokenId": true,
}

func coded(code string, r *Rejection) *Rejection {
	r.Code = code
	return r
}

// lost says what became of a call that has no answer to go by.
func lost(err error) string {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.HTTPStatusCode() >= 500 {
		return fmt.Sprintf("SES answered %d", response.HTTPStatusCode())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "SES did not answer in time"
	}
	return "the connection to SES was lost"
}
