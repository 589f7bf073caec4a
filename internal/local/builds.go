package local

import (
	"maps"
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/local/httpbody"
)

// builds is how the functions' builds stand while the stack runs. As an http.Handler it is that in
// JSON.
type builds struct {
	changed func()

	mu       sync.Mutex
	watching bool
	building bool
	failed   map[string]string // what the compiler said, by logical id
	restart  string            // what has changed that only a restart takes up; empty: nothing
}

// buildFailure is what the compiler said, and of which functions: a mistake in what they share is one.
type buildFailure struct {
	Functions []string `json:"functions"`
	Output    string   `json:"output"`
}

// update changes a part of b and tells the pages.
func (b *builds) update(change func()) {
	b.mu.Lock()
	change()
	b.mu.Unlock()
	b.changed()
}

// failures are in the order of the functions' names.
func (b *builds) failures() []buildFailure {
	b.mu.Lock()
	defer b.mu.Unlock()
	failures := []buildFailure{}
	for _, id := range slices.Sorted(maps.Keys(b.failed)) {
		i := slices.IndexFunc(failures, func(f buildFailure) bool { return f.Output == b.failed[id] })
		if i < 0 {
			i = len(failures)
			failures = append(failures, buildFailure{Output: b.failed[id]})
		}
		failures[i].Functions = append(failures[i].Functions, id)
	}
	return failures
}

func (b *builds) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	failures := b.failures()
	b.mu.Lock()
	state := struct {
		Watching bool           `json:"watching"`
		Building bool           `json:"building"`
		Failures []buildFailure `json:"failures"`
		Restart  string         `json:"restart"`
	}{b.watching, b.building, failures, b.restart}
	b.mu.Unlock()
	httpbody.WriteJSON(w, state)
}
