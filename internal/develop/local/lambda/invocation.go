package lambda

import "time"

// Invocation is what is remembered of an invocation of a function.
type Invocation struct {
	RequestID string        // API Gateway's request id, in the response's apigw-requestid
	Function  string        // logical id
	At        time.Time     // when the event was ready
	Cold      bool          // a process was started for it
	Init      time.Duration // of a cold start: until the process asked for the event
	Duration  time.Duration // from passing the event to the end of the invocation
	Err       string        // why there is no result; empty if there is one
}

// RecordInvocation records an invocation that has ended.
func (s *Service) RecordInvocation(i Invocation) { s.invocations.add(i) }

// Invocations returns the last 1,000 recorded invocations, newest first.
func (s *Service) Invocations() []Invocation { return s.invocations.newest() }
