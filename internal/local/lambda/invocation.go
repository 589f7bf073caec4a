package lambda

import "time"

// Invocation is what is remembered of one invocation of a function.
type Invocation struct {
	RequestID string        // API Gateway's id of the request, the response's apigw-requestid
	Function  string        // logical id
	At        time.Time     // when the event was ready for the function
	Cold      bool          // a process was started for it
	Init      time.Duration // the cold start: until the process asked for the event
	Duration  time.Duration // from the event to the end of the invocation
	Err       string        // why it has no result; empty when it has one
}

// Remember remembers an invocation that has ended.
func (s *Service) Remember(i Invocation) { s.invocations.Add(i) }

// Invocations are the last 1,000 that have ended, newest first.
func (s *Service) Invocations() []Invocation { return s.invocations.Newest() }
