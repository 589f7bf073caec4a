package lambda

import (
	"slices"
	"sync"
	"time"
)

// Invocation is what the stack remembers of one invocation of a function.
type Invocation struct {
	RequestID string        // API Gateway's id of the request, the response's apigw-requestid
	Function  string        // logical id
	At        time.Time     // when the event was ready for the function
	Cold      bool          // a process was started for it
	Init      time.Duration // the cold start: until the process asked for the event
	Duration  time.Duration // from the event to the end of the invocation
	Err       string        // why it has no result; empty when it has one
}

// history remembers the last invocations.
type history struct {
	mu   sync.Mutex
	last []Invocation
}

const maxHistory = 1000

// Remember remembers an invocation that has ended.
func (h *history) Remember(i Invocation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.last) == maxHistory {
		h.last = slices.Delete(h.last, 0, 1)
	}
	h.last = append(h.last, i)
}

// Invocations are the last 1,000 that have ended, newest first.
func (h *history) Invocations() []Invocation {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.last)
	slices.Reverse(all)
	return all
}
