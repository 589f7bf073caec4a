package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code is a word that lets programs distinguish errors. Error messages may change; a code never changes once it is
// published. The contract lists all codes.
type Code string

// ErrorKind is the category of an error. Stores and rules choose an ErrorKind; only this package maps it to a status
// code. An ErrorKind is also the [Code] of its errors, unless they name a finer one.
type ErrorKind string

const (
	Internal      ErrorKind = "internal"       // not the client's fault; the text goes to the log, never to the client
	Malformed     ErrorKind = "malformed"      // not JSON, or a field of the wrong type
	Unauthorized  ErrorKind = "unauthorized"   // no credential, or an invalid one
	Forbidden     ErrorKind = "forbidden"      // a valid credential without this permission
	NotFound      ErrorKind = "not_found"      // the path names something that does not exist
	Conflict      ErrorKind = "conflict"       // other requests changed the same items during every attempt
	TooLarge      ErrorKind = "too_large"      // the body exceeds [Function.MaxBody]; nothing of it was decoded
	Invalid       ErrorKind = "invalid"        // well-formed, but against a rule
	QuotaExceeded ErrorKind = "quota_exceeded" // over a limit per period
	Rejected      ErrorKind = "rejected"       // understood, and not done: status 200, a Code, and a body that says so
	Unavailable   ErrorKind = "unavailable"    // a service behind the endpoint did not answer within the request's time
)

// statuses leaves out Internal, so that an Error with an empty or unknown kind also becomes a 500.
var statuses = map[ErrorKind]int{
	Malformed:     http.StatusBadRequest,
	Unauthorized:  http.StatusUnauthorized,
	Forbidden:     http.StatusForbidden,
	NotFound:      http.StatusNotFound,
	Conflict:      http.StatusConflict,
	TooLarge:      http.StatusRequestEntityTooLarge,
	Invalid:       http.StatusUnprocessableEntity,
	QuotaExceeded: http.StatusTooManyRequests,
	Rejected:      http.StatusOK,
	Unavailable:   http.StatusServiceUnavailable,
}

// Error is an error whose message is meant for the client.
type Error struct {
	Kind       ErrorKind
	Code       Code // "" stands for the kind's own
	Message    string
	Attributes []string // the fields that violate a rule, for an Invalid error
	// RetryAfter is how long the client should wait before it tries again. The header Retry-After carries it in whole
	// seconds, rounded up (RFC 9110 section 10.2.3). Zero means no header, except that Conflict and Unavailable always
	// send at least one second.
	RetryAfter time.Duration
	// Cause is for the operator's log: a word without personal data; "" if the code says enough.
	Cause string
	// Outage is true if an operator has to know of it although the status is below 500: the fault is not in the
	// request, or nobody knows whether all of it was done.
	Outage bool

	faults []Fault // what Message says, one by one
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an Error with a formatted message, which the client will read.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// WithCode sets a finer code than the kind's. It changes e and returns it.
func (e *Error) WithCode(code Code) *Error {
	e.Code = code
	return e
}

// Failure is an error in the form in which a client gets it. [Function.ErrorBody] turns it into an endpoint's own JSON.
type Failure struct {
	Status     int
	Code       Code // never ""
	Message    string
	Attributes []string // of an Invalid error only
	RequestID  string   // of an Internal error only; it lets the operator find the log line
	RetryAfter time.Duration

	Cause  string // for the operator alone, as [Error.Outage] is
	Outage bool
}

// errLate answers a request whose deadline passed, whichever step was running.
var errLate = Errorf(Unavailable, "Not answered in time, please try again")

// failure decides what the client learns of an error. A deadline that passed is [Unavailable]: the client should
// try again, and nothing is broken. Every other error that is not an [*Error] becomes "Internal error" and the
// request's id.
func failure(err error, requestID string) Failure {
	e, ok := errors.AsType[*Error](err)
	if !ok && errors.Is(err, context.DeadlineExceeded) {
		e, ok = errLate, true
	}
	if ok && statuses[e.Kind] != 0 {
		f := Failure{
			Status: statuses[e.Kind], Code: cmp.Or(e.Code, Code(e.Kind)),
			Message: e.Message, Attributes: e.Attributes, RetryAfter: e.RetryAfter,
			Cause: e.Cause, Outage: e.Outage,
		}
		if e.Kind == Conflict || e.Kind == Unavailable {
			f.RetryAfter = max(f.RetryAfter, time.Second)
		}
		return f
	}
	return Failure{
		Status: http.StatusInternalServerError, Code: Code(Internal), Message: "Internal error", RequestID: requestID,
	}
}

// errorBody is the JSON of an error for endpoints without an [Function.ErrorBody].
func errorBody(_ *Request, f Failure) any {
	type body struct {
		Message    string   `json:"message"`
		Code       Code     `json:"code"`
		Attributes []string `json:"attributes,omitempty"`
		RequestID  string   `json:"request_id,omitempty"`
	}
	return body{Message: f.Message, Code: f.Code, Attributes: f.Attributes, RequestID: f.RequestID}
}
