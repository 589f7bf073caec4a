package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// failure is the reason why a group was not sent, or why nobody knows whether it was.
type failure struct {
	unknown bool     // it may have been sent
	own     bool     // the fault is in the mail or one of its addresses, not in the service
	code    api.Code // for the client's program
	reason  string   // for the person who sends the mail
	cause   string   // for the operator's log: without personal data
}

func (f *failure) rejection() *rejection.Error {
	became := "was not sent"
	if f.unknown {
		became = "may or may not have been sent"
	}
	return &rejection.Error{
		Code: f.code, Reason: "the mail " + became + ": " + f.reason, Cause: f.cause, Outage: f.outage(),
	}
}

// outage reports whether an operator has to know of the failure. Error codes that this package does not know count
// as outages.
func (f *failure) outage() bool { return f.unknown || !f.own }

var (
	// errDied is for a group that another request began without recording SES's answer: its process ended, or its
	// last write failed.
	errDied = &failure{
		unknown: true, code: rejection.UnknownOutcome,
		reason: "the request that sent it ended before SES's answer was recorded", cause: "died",
	}
	// errInternal is for a group that was not begun because of an internal error.
	errInternal = &failure{code: api.Code(api.Internal), reason: "an internal error", cause: "internal"}
	// errLate is for a group for which there was no time left to ask SES.
	errLate = unavailable(fmt.Sprintf("SES could not be asked within %s", sendWithin), "late")
)

// unasked returns the failure of groups for which a rule kept the service from asking SES.
func unasked(why *rejection.Error) *failure {
	return &failure{own: !why.Outage, code: why.Code, reason: why.Reason, cause: cmp.Or(why.Cause, "rule")}
}

// failure returns why a call has failed, given its error. SES has certainly not accepted the message if it throttled
// the call, if no connection was made, or if it answered with a status 4xx. In all other cases the mail may have
// been sent.
func (r *retryer) failure(err error) *failure {
	switch {
	case r.last == nil: // there was no time for a single try
		return errLate
	case throttled(r.last):
		return unavailable("SES is asked too often at the moment", "throttled")
	case overQuota(r.last):
		return unavailable("SES's quota for the day is used up", "daily quota")
	case r.unsent:
		return unavailable("SES cannot be reached", "unreachable")
	}
	var (
		response *smithyhttp.ResponseError
		told     smithy.APIError
	)
	if errors.As(err, &response) && response.HTTPStatusCode()/100 == 4 && errors.As(err, &told) {
		code := told.ErrorCode()
		if serviceErrors[code] { // SES's text names AWS accounts and roles: hide it from the sender
			return refused(fmt.Sprintf("SES does not let the service send it (%s)", code), code)
		}
		text := api.Shorten(told.ErrorMessage(), 500)
		why := refused(fmt.Sprintf("SES refused it: %s: %s", code, text), code)
		switch {
		case unverified(told):
			why.cause = "not verified"
		case code == "BadRequestException", code == "MessageRejected":
			why.own = true
		}
		return why
	}
	return &failure{unknown: true, code: rejection.UnknownOutcome, reason: lost(err), cause: "lost"}
}

// unavailable returns the failure of a group that SES may accept later.
func unavailable(reason, cause string) *failure {
	return &failure{code: rejection.SESUnavailable, reason: reason, cause: cause}
}

// refused returns the failure of a group that SES has refused for the given reason.
func refused(reason, cause string) *failure {
	return &failure{code: rejection.SESRejected, reason: reason, cause: cause}
}

// serviceErrors are the codes by which SES refuses this service, not the mail: the fault is in its role or credentials.
var serviceErrors = map[string]bool{
	"AccessDeniedException": true, "UnrecognizedClientException": true, "InvalidSignatureException": true,
	"ExpiredTokenException": true, "IncompleteSignature": true, "SignatureDoesNotMatch": true,
	"InvalidClientTokenId": true,
}

// unverified reports whether SES refused a message because its sender is not verified, or in the sandbox its
// recipient. SES uses the same code for messages with forbidden content; only the text differs.
// https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html
func unverified(err smithy.APIError) bool {
	return err.ErrorCode() == "MessageRejected" &&
		strings.Contains(strings.ToLower(err.ErrorMessage()), "not verified")
}

// lost returns why nobody knows whether a call was done.
func lost(err error) string {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.HTTPStatusCode() >= 500 {
		return fmt.Sprintf("SES answered %d", response.HTTPStatusCode())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "SES did not answer in time"
	}
	return "the connection to SES was lost"
}
