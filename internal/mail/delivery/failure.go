package delivery

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/mail/rejection"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

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

var (
	// errDied is a group that was begun by a request whose process ended.
	errDied = &failure{unknown: true, reason: "the request that sent it ended before SES had answered", code: "died"}
	// errInternal is a group that a fault of ours kept from being begun.
	errInternal = &failure{reason: "an internal error", code: "internal"}
	// errLate is a group for which the time was over before SES was asked.
	errLate = &failure{reason: fmt.Sprintf("SES could not be asked within %s", sendWithin), code: "late"}
)

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
