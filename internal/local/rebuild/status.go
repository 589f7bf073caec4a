package rebuild

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/local/httpbody"
)

// Status is how the builds stand while the stack runs. As an http.Handler it is that in JSON.
type Status struct {
	changed func()

	mu    sync.Mutex
	state State
}

// State is the parts of a Status.
type State struct {
	Watching bool
	Building bool
	Failed   map[string]string // what the compiler said, by logical id
	Restart  string            // what has changed that only a restart takes up; empty: nothing
}

// NewStatus is of a stack that does not watch. It calls changed at every update.
func NewStatus(changed func()) *Status { return &Status{changed: changed} }

// buildFailure is what the compiler said, and of which functions: a mistake in what they share is one.
type buildFailure struct {
	Functions []string `json:"functions"`
	Output    string   `json:"output"`
}

// Update changes a part of the state.
func (b *Status) Update(change func(*State)) {
	b.mu.Lock()
	change(&b.state)
	b.mu.Unlock()
	b.changed()
}

// failures are in the order of the functions' names.
func (b *Status) failures() []buildFailure {
	b.mu.Lock()
	defer b.mu.Unlock()
	failures := []buildFailure{}
	for _, id := range slices.Sorted(maps.Keys(b.state.Failed)) {
		i := slices.IndexFunc(failures, func(f buildFailure) bool { return f.Output == b.state.Failed[id] })
		if i < 0 {
			i = len(failures)
			failures = append(failures, buildFailure{Output: b.state.Failed[id]})
		}
		failures[i].Functions = append(failures[i].Functions, id)
	}
	return failures
}

func (b *Status) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	failures := b.failures()
	b.mu.Lock()
	state := struct {
		Watching bool           `json:"watching"`
		Building bool           `json:"building"`
		Failures []buildFailure `json:"failures"`
		Restart  string         `json:"restart"`
	}{b.state.Watching, b.state.Building, failures, b.state.Restart}
	b.mu.Unlock()
	httpbody.WriteJSON(w, state)
}
