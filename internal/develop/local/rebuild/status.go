package rebuild

import (
	"net/http"
	"sync"

	"frontdesk/internal/develop/local/httpserver"
)

// Status is the state of the builds while the stack runs. As an http.Handler it answers with its State in JSON.
type Status struct {
	changed func()

	mu    sync.Mutex
	state State
}

// State is the content of a Status.
type State struct {
	Watching bool   `json:"watching"`
	Building bool   `json:"building"`
	Failure  string `json:"failure"` // what the compiler said of the last build; empty if all is built
	Restart  string `json:"restart"` // name of a changed file that needs a restart; empty if there is none
}

// NewStatus returns the status of a stack without a watch. It calls changed at every update.
func NewStatus(changed func()) *Status {
	return &Status{changed: changed}
}

// Update changes the state.
func (s *Status) Update(change func(*State)) {
	s.mu.Lock()
	change(&s.state)
	s.mu.Unlock()
	s.changed()
}

// ServeHTTP answers with the state at this moment.
func (s *Status) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	httpserver.WriteJSON(w, state)
}
