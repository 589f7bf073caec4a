package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code is the word by which a program tells errors apart; their texts may change. A code that exists stays what it is.
// The contract lists all of them.
type Code string

// Kind is the kind of an error that a client meets. Stores and rules choose a Kind; only this package makes a status
// of it. Its word is the [Code] of its errors that name no finer one.
type Kind string

const (
	Internal      Kind = "internal"       // not the client's fault; its text goes to the log, never to the client
	Malformed     Kind = "malformed"      // not JSON, or a field of the wrong type
	Unauthorized  Kind = "unauthorized"   // no credential, or not a good one
	Forbidden     Kind = "forbidden"      // a good credential that does not permit this
	NotFound      Kind = "not_found"      // the path names what is not there
	Conflict      Kind = "conflict"       // at every attempt, other requests changed the same items
	TooLarge      Kind = "too_large"      // a body of more than [Function.MaxBody], of which nothing was decoded
	Invalid       Kind = "invalid"        // understood, and against a rule
	QuotaExceeded Kind = "quota_exceeded" // more than is allowed in some time
	Unavailable   Kind = "unavailable"    // what the endpoint stands on gave no answer in the time that the request has
)

// statuses has no Internal: an Error without a kind is one.
var statuses = map[Kind]int{
	Malformed:     http.StatusBadRequest,
	Unauthorized:  http.StatusUnauthorized,
	Forbidden:     http.StatusForbidden,
	NotFound:      http.StatusNotFound,
	Conflict:      http.StatusConflict,
	TooLarge:      http.StatusRequestEntityTooLarge,
	Invalid:       http.StatusUnprocessableEntity,
	QuotaExceeded: http.StatusTooManyRequests,
	Unavailable:   http.StatusServiceUnavailable,
}

// Error is an error whose text a client is told.
type Error struct {
	Kind       Kind
	Code       Code // "" is the kind's own
	Message    string
	Attributes []string // the fields that an Invalid error is about
	// RetryAfter is how long a client should wait before it asks again. The header Retry-After tells it in whole
	// seconds, rounded up. Zero tells nothing, except for Conflict and Unavailable, which tell a second at least.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error whose message the client will read.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// WithCode gives an Error a finer code than its kind's.
func (e *Error) WithCode(code Code) *Error {
	e.Code = code
	return e
}

// Failure is an error as it is answered. An endpoint's ErrorBody gives it a shape.
type Failure struct {
	Status     int
	Code       Code // never ""
	Message    string
	Attributes []string // only of an Invalid error
	RequestID  string   // only of an Internal error: the operator finds the log line by it
	RetryAfter time.Duration
}

var errLate = Errorf(Unavailable, "Not answered in time, please try again")

// failure is what a client may be told of an error. The end of the request's time is no internal error.
func failure(err error, requestID string) Failure {
	e, ok := errors.AsType[*Error](err)
	if !ok && errors.Is(err, context.DeadlineExceeded) {
		e, ok = errLate, true
	}
	if ok && statuses[e.Kind] != 0 {
		f := Failure{
			Status: statuses[e.Kind], Code: cmp.Or(e.Code, Code(e.Kind)),
			Message: e.Message, Attributes: e.Attributes, RetryAfter: e.RetryAfter,
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

// errorBody is the shape of an error where an endpoint has none of its own.
func errorBody(f Failure) any {
	type body struct {
		Message    string   `json:"message"`
		Code       Code     `json:"code"`
		Attributes []string `json:"attributes,omitempty"`
		RequestID  string   `json:"request_id,omitempty"`
	}
	return body{Message: f.Message, Code: f.Code, Attributes: f.Attributes, RequestID: f.RequestID}
}
