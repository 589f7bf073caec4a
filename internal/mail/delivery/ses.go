package delivery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/awsconf"
	"frontdesk/internal/mail/rejection"

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

// send hands a message over for the recipients of an envelope, 50 at the most, and gives SES's id of it. SES is not
// asked again after until.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func (s *SES) send(ctx context.Context, until time.Time, e Envelope, message []byte) (id string, why *failure) {
	v := &verdicts{until: until}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { v.connected = true }})
	out, err := s.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress:     &e.From,
		Destination:          &types.Destination{ToAddresses: e.To, CcAddresses: e.Cc, BccAddresses: e.Bcc},
		Content:              &types.EmailContent{Raw: &types.RawMessage{Data: message}},
		ConfigurationSetName: s.configurationSet,
		EmailTags:            messageTags(e.Tags),
	}, func(o *sesv2.Options) { v.Retryer, o.Retryer = o.Retryer, v })
	if err != nil {
		return "", v.fault(err)
	}
	return aws.ToString(out.MessageId), nil
}

// failure is why SES did not take a message, or why nobody knows whether it did.
type failure struct {
	unknown bool   // it may have been taken
	reason  string // for the mail's sender
	code    string // for the log: it names nobody
}

func (f *failure) rejection() *rejection.Error {
	became := "was not sent"
	if f.unknown {
		became = "may or may not have been sent"
	}
	return &rejection.Error{Reason: "the mail " + became + ": " + f.reason, Code: f.code}
}

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

// fault says of a failed call what its caller needs to know: whether to send again.
func (v *verdicts) fault(err error) *failure {
	switch {
	case v.last == nil: // there was not even one attempt
		return errLate
	case throttled(v.last):
		return &failure{reason: "SES is asked too often at the moment", code: "throttled"}
	case overQuota(v.last):
		return &failure{reason: "SES's quota for the day is used up", code: "daily quota"}
	case v.unsent:
		return &failure{reason: "SES cannot be reached", code: "unreachable"}
	}
	var (
		response *smithyhttp.ResponseError
		api      smithy.APIError
	)
	if errors.As(err, &response) && response.HTTPStatusCode()/100 == 4 && errors.As(err, &api) {
		if ours[api.ErrorCode()] { // SES's text names accounts and roles, which are not the sender's to know
			return &failure{reason: fmt.Sprintf("SES does not let the service send it (%s)", api.ErrorCode()), code: api.ErrorCode()}
		}
		return &failure{reason: fmt.Sprintf("SES refused it: %s: %s", api.ErrorCode(), rejection.Shorten(api.ErrorMessage(), 500)), code: api.ErrorCode()}
	}
	return &failure{unknown: true, reason: lost(err), code: "lost"}
}

// ours are SES's refusals that are about the service, not about the mail.
var ours = map[string]bool{
	"AccessDeniedException": true, "UnrecognizedClientException": true, "InvalidSignatureException": true,
	"ExpiredTokenException": true, "IncompleteSignature": true, "SignatureDoesNotMatch": true, "InvalidClientTokenId": true,
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

// messageTags are tags as SES takes them, by name.
func messageTags(tags map[string]string) []types.MessageTag {
	var list []types.MessageTag
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, types.MessageTag{Name: aws.String(name), Value: aws.String(tags[name])})
	}
	return list
}
