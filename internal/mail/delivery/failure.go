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

// failure is why a group was not sent, or why nobody knows whether it was.
type failure struct {
	unknown bool     // it may have been sent
	own     bool     // the mail is at fault, or an address in it, not the service
	code    api.Code // for the sender's program
	reason  string   // for the mail's sender
	cause   string   // for the operator: it names nobody
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

// outage reports whether an operator has to know of it. An error that is new to us is one.
func (f *failure) outage() bool { return f.unknown || !f.own }

var (
	// errDied is for a group that was begun by a request whose process ended, or that could not write down in the end
	// what SES had answered.
	errDied = &failure{
		unknown: true, code: rejection.UnknownOutcome,
		reason: "the request that sent it ended before SES's answer was recorded", cause: "died",
	}
	// errInternal is for a group that an error of ours kept from being begun.
	errInternal = &failure{code: api.Code(api.Internal), reason: "an internal error", cause: "internal"}
	// errLate is for a group for which SES could not be asked in time.
	errLate = unavailable(fmt.Sprintf("SES could not be asked within %s", sendWithin), "late")
)

// unasked says why a mail was not even asked for, or a message of it.
func unasked(why *rejection.Error) *failure {
	return &failure{own: !why.Outage, code: why.Code, reason: why.Reason, cause: cmp.Or(why.Cause, "rule")}
}

// failure says why a call has failed, given its error.
func (r *retryer) failure(err error) *failure {
	switch {
	case r.last == nil: // there was no time for even one try
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
		if serviceErrors[code] { // SES's text names accounts and roles, which are not the sender's to know
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

// unavailable is for a group that SES may take later.
func unavailable(reason, cause string) *failure {
	return &failure{code: rejection.SESUnavailable, reason: reason, cause: cause}
}

// refused is for a group that SES does not take, which its word says why.
func refused(reason, cause string) *failure {
	return &failure{code: rejection.SESRejected, reason: reason, cause: cause}
}

// serviceErrors are the codes of SES's refusals that are about the service, not about the mail.
var serviceErrors = map[string]bool{
	"AccessDeniedException": true, "UnrecognizedClientException": true, "InvalidSignatureException": true,
	"ExpiredTokenException": true, "IncompleteSignature": true, "SignatureDoesNotMatch": true,
	"InvalidClientTokenId": true,
}

// unverified reports SES's answer to a message whose sender, or in the sandbox whose recipient, is not verified. Its
// code is that of messages that are refused for what is in them; only the text tells them apart.
// https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html
func unverified(err smithy.APIError) bool {
	return err.ErrorCode() == "MessageRejected" &&
		strings.Contains(strings.ToLower(err.ErrorMessage()), "not verified")
}

// lost says why nobody knows what became of a call.
func lost(err error) string {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.HTTPStatusCode() >= 500 {
		return fmt.Sprintf("SES answered %d", response.HTTPStatusCode())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "SES did not answer in time"
	}
	return "the connection to SES was lost"
}
