package rebuild

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/local/httpserver"
)

// Status is the state of the builds while the stack runs. As an http.Handler it answers with its State in JSON.
type Status struct {
	changed func()

	mu    sync.Mutex
	state State
}

// State is the content of a Status.
type State struct {
	Watching bool      `json:"watching"`
	Building bool      `json:"building"`
	Failures []Failure `json:"failures"`
	Restart  string    `json:"restart"` // name of a changed file that needs a restart; empty if there is none
}

// Failure is an error of the compiler, with all functions that it affects: an error in shared code is one failure.
type Failure struct {
	Functions []string `json:"functions"` // logical ids
	Output    string   `json:"output"`
}

// NewStatus returns the status of a stack without a watch. It calls changed at every update.
func NewStatus(changed func()) *Status {
	return &Status{changed: changed, state: State{Failures: []Failure{}}}
}

// Update changes the state.
func (s *Status) Update(change func(*State)) {
	s.mu.Lock()
	change(&s.state)
	s.mu.Unlock()
	s.changed()
}

// groupFailures groups functions by the compiler's output. The result is sorted by the first logical id.
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

// ServeHTTP answers with the state at this moment.
func (s *Status) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	httpserver.WriteJSON(w, state)
}
