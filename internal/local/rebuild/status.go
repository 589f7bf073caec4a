package rebuild

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/local/httpbody"
)

// Status is how the builds stand while the stack runs. As an http.Handler it is its State in JSON.
type Status struct {
	changed func()

	mu    sync.Mutex
	state State
}

// State is the parts of a Status.
type State struct {
	Watching bool      `json:"watching"`
	Building bool      `json:"building"`
	Failures []Failure `json:"failures"`
	Restart  string    `json:"restart"` // what has changed that only a restart takes up; empty: nothing
}

// Failure is what the compiler said, and of which functions: a mistake in what they share is one failure.
type Failure struct {
	Functions []string `json:"functions"` // logical ids
	Output    string   `json:"output"`
}

// NewStatus is of a stack that does not watch. It calls changed at every update.
func NewStatus(changed func()) *Status {
	return &Status{changed: changed, state: State{Failures: []Failure{}}}
}

// Update changes a part of the state.
func (s *Status) Update(change func(*State)) {
	s.mu.Lock()
	change(&s.state)
	s.mu.Unlock()
	s.changed()
}

// groupFailures takes what the compiler said by logical id. The failures are in the order of these.
func groupFailures(outputs map[string]string) []Failure {
	failures := []Failure{}
	for _, id := range slices.Sorted(maps.Keys(outputs)) {
		i := slices.IndexFunc(failures, func(f Failure) bool { return f.Output == outputs[id] })
		if i < 0 {
			i = len(failures)
			failures = append(failures, Failure{Output: outputs[id]})
		}
		failures[i].Functions = append(failures[i].Functions, id)
	}
	return failures
}

func (s *Status) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	httpbody.WriteJSON(w, state)
}
