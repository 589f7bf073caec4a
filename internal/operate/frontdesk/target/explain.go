package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// Explain turns an error of AWS into one sentence that names the table, without the SDK's chain of causes. It returns
// any other error unchanged. A nil target explains nothing, nor does one whose table was not opened.
func (t *Target) Explain(err error) error {
	if err == nil || t == nil || t.table == "" {
		return err
	}
	return ExplainAt(t.table, err)
}

// expired are the codes of credentials that no longer work.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_general.html
var expired = []string{"ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException", "InvalidClientTokenId"}

// ExplainAt is [Target.Explain] for a call to a place, such as "queue q". Codes are AWS's own words, so an operator
// can search for them. A cancelled context stays as it is: that is a Ctrl-C, and no network's fault.
func ExplainAt(source string, err error) error {
	api, isAPI := errors.AsType[smithy.APIError](err)
	_, isNetwork := errors.AsType[net.Error](err)
	_, isFile := errors.AsType[*fs.PathError](err) // its cause is a net.Error, too
	_, isExplained := errors.AsType[explained](err)
	switch {
	case isExplained: // of a call to another place
		return err
	case isAPI && slices.Contains(expired, api.ErrorCode()):
		return explain(err, "%s: AWS does not take your credentials (%s): sign in again", source, api.ErrorCode())
	case isAPI && api.ErrorCode() == "ResourceNotFoundException":
		return explain(err, "%s: it does not exist", source)
	case isAPI:
		return explain(err, "%s: %s: %s", source, api.ErrorCode(), api.ErrorMessage())
	case isNetwork && !isFile && !errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: nothing answers: %w", source, networkCause(err))
	}
	return err
}

// explained is the error of a call in one sentence. The error of AWS stays within it, by which callers decide.
type explained struct {
	sentence string
	cause    error
}

func (e explained) Error() string { return e.sentence }

func (e explained) Unwrap() error { return e.cause }

// explain returns an error with a sentence of its own.
func explain(cause error, format string, args ...any) error {
	return explained{fmt.Sprintf(format, args...), cause}
}

// networkCause returns the network's own error, without the operation around it.
func networkCause(err error) error {
	if e, ok := errors.AsType[*awshttp.ResponseTimeoutError](err); ok {
		return fmt.Errorf("nothing came for %v", e.TimeoutDur)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	return err
}
