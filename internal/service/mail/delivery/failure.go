package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/base/api"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// unknown reports whether a group may have been sent in spite of an error.
func unknown(why *api.Error) bool { return why.Code == UnknownOutcome }

// nobodyReached returns the error for a mail that reached nobody because of why, which is the error of a group.
func nobodyReached(why *api.Error) *api.Error {
	became := "was not sent"
	if unknown(why) {
		became = "may or may not have been sent"
	}
	all := *why
	all.Message = "the mail " + became + ": " + why.Message
	return &all
}

var (
	// errDied is for a group that another request began without recording SES's answer: its process ended, or its
	// last write failed.
	errDied = outage(UnknownOutcome,
		"the request that sent it ended before SES's answer was recorded", "died")
	// errInternal is for a group that was not begun because of an internal error.
	errInternal = outage(api.Code(api.Internal), "an internal error", "internal")
	// errLate is for a group for which there was no time left to ask SES.
	errLate = outage(SESUnavailable, fmt.Sprintf("SES could not be asked within %s", sendWithin), "late")
)

// outage returns the error of a group whose fault is not in the mail, or of which nobody knows whether it was sent.
func outage(code api.Code, reason, cause string) *api.Error {
	return &api.Error{Kind: api.Rejected, Code: code, Message: reason, Cause: cause, Outage: true}
}

// unasked returns the error of groups for which a rule kept the service from asking SES.
func unasked(why *api.Error) *api.Error {
	refused := *why
	refused.Cause = cmp.Or(why.Cause, "rule")
	return &refused
}

// failure returns why a call has failed, given its error. SES has certainly not accepted the message if it throttled
// the call, if no connection was made, or if it answered with a status 4xx. In all other cases the mail may have been
// sent. It is an outage, unless SES says that the fault is in the mail: codes that this package does not know count as
// outages.
func (r *retryer) failure(err error) *api.Error {
	switch {
	case r.last == nil: // there was no time for a single try
		return errLate
	case throttled(r.last):
		return outage(SESUnavailable, "SES is asked too often at the moment", "throttled")
	case overQuota(r.last):
		return outage(SESUnavailable, "SES's quota for the day is used up", "daily quota")
	case r.unsent:
		return outage(SESUnavailable, "SES cannot be reached", "unreachable")
	}
	var (
		response *smithyhttp.ResponseError
		apiError smithy.APIError
	)
	if errors.As(err, &response) && response.HTTPStatusCode()/100 == 4 && errors.As(err, &apiError) {
		code := apiError.ErrorCode()
		if serviceErrors[code] { // SES's text names AWS accounts and roles: hide it from the sender
			return outage(SESRejected, fmt.Sprintf("SES does not let the service send it (%s)", code), code)
		}
		text := api.Shorten(apiError.ErrorMessage(), 500)
		why := outage(SESRejected, fmt.Sprintf("SES refused it: %s: %s", code, text), code)
		switch {
		case unverified(apiError):
			why.Cause = "not verified"
		case code == "BadRequestException", code == "MessageRejected":
			why.Outage = false // the fault is in the mail or one of its addresses
		}
		return why
	}
	return outage(UnknownOutcome, lost(err), "lost")
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
