package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code is the kind of an error that a client meets. Stores and rules choose a Code; only this package makes a status
// of it.
type Code int

const (
	Internal     Code = iota // not the client's fault; its text goes to the log, never to the client
	Malformed                // not JSON, or a field of the wrong type
	Unauthorized             // no credential, or not a good one
	Forbidden                // a good credential that does not permit this
	NotFound
	Conflict    // at every attempt, other requests changed the same items
	TooLarge    // a body of more than [Function.MaxBody], of which nothing was decoded
	Invalid     // understood, and against a rule
	RateLimited // more than is allowed in some time
	Unavailable // what the endpoint stands on gave no answer in the time that the request has
)

var statuses = map[Code]int{
	Internal:     http.StatusInternalServerError,
	Malformed:    http.StatusBadRequest,
	Unauthorized: http.StatusUnauthorized,
	Forbidden:    http.StatusForbidden,
	NotFound:     http.StatusNotFound,
	Conflict:     http.StatusConflict,
	TooLarge:     http.StatusRequestEntityTooLarge,
	Invalid:      http.StatusUnprocessableEntity,
	RateLimited:  http.StatusTooManyRequests,
	Unavailable:  http.StatusServiceUnavailable,
}

// Error is an error whose text a client is told.
type Error struct {
	Code       Code
	Message    string
	Attributes []string // the fields that an Invalid error is about
	// RetryAfter is how long a client should wait before it asks again. The header Retry-After tells it in whole
	// seconds, rounded up. Zero tells nothing, except for Conflict and Unavailable, which tell a second at least.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error whose message the client will read.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Failure is an error as it is answered. An endpoint's ErrorBody gives it a shape.
type Failure struct {
	Status     int
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
	if ok && e.Code != Internal {
		f := Failure{Status: statuses[e.Code], Message: e.Message, Attributes: e.Attributes, RetryAfter: e.RetryAfter}
		if e.Code == Conflict || e.Code == Unavailable {
			f.RetryAfter = max(f.RetryAfter, time.Second)
		}
		return f
	}
	return Failure{Status: statuses[Internal], Message: "Internal error", RequestID: requestID}
}

// errorBody is the shape of an error where an endpoint has none of its own.
func errorBody(f Failure) any {
	return struct {
		Message    string   `json:"message"`
		Attributes []string `json:"attributes,omitempty"`
		RequestID  string   `json:"request_id,omitempty"`
	}{f.Message, f.Attributes, f.RequestID}
}
