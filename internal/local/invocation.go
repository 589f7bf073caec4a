package local

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

func (h *history) add(i Invocation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.last) == maxHistory {
		h.last = slices.Delete(h.last, 0, 1)
	}
	h.last = append(h.last, i)
}

// byRequest are the invocations by the ids of their requests.
func (h *history) byRequest() map[string]Invocation {
	h.mu.Lock()
	defer h.mu.Unlock()
	invocations := make(map[string]Invocation, len(h.last))
	for _, i := range h.last {
		invocations[i.RequestID] = i
	}
	return invocations
}

// newestFirst is a copy.
func (h *history) newestFirst() []Invocation {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.last)
	slices.Reverse(all)
	return all
}
