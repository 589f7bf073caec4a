package console

import (
	"net/http"
	"sync"

	"frontdesk/internal/local/httpbody"
)

// Shown is what the console shows beside what it sees of the stack itself.
type Shown struct {
	Credentials []Credential `json:"credentials"` // in this order, each with a button that copies it
	FirstMail   string       `json:"first_mail"`  // a shell command that sends a mail, for an outbox that is empty
	TestMail    *Call        `json:"test_mail"`   // the request that the console sends for a test mail; nil: none
	Login       *Call        `json:"login"`       // makes a login link of a user, as {"url": …}; nil: none
	// Kinds are names for kinds of items, by the shape of their keys; see package items.
	Kinds map[string]string `json:"kinds,omitempty"`
}

// Call is a request of the API.
type Call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
	// Headers are by their names; nil for none.
	Headers map[string]string `json:"headers,omitempty"`
}

// Credential is a value that calls of the API need.
type Credential struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// link is a page of the API's own.
type link struct {
	Label string `json:"label"`
	Path  string `json:"path"`
}

// wellKnown are the pages that an API may have for people.
var wellKnown = []link{{"API docs", "/docs"}, {"Login page", "/app/login"}}

// stackPage is what the console knows of its stack. As an http.Handler it is that in JSON.
type stackPage struct {
	mu       sync.Mutex
	state    stackState
	hasRoute func(method, path string) bool // nil before the API is known
}

type stackState struct {
	Links []link `json:"links"`
	Shown
}

// link links to those well-known pages that the API has.
func (p *stackPage) link(hasRoute func(method, path string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasRoute = hasRoute
	p.state.Links = []link{} // in JSON, never null
	for _, l := range wellKnown {
		if hasRoute(http.MethodGet, l.Path) {
			p.state.Links = append(p.state.Links, l)
		}
	}
}

func (p *stackPage) show(shown Shown) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown.Credentials = append([]Credential{}, shown.Credentials...) // in JSON, never null
	p.state.Shown = shown
}

func (p *stackPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	state := p.state
	state.TestMail, state.Login = p.routed(state.TestMail), p.routed(state.Login)
	p.mu.Unlock()
	httpbody.WriteJSON(w, state)
}

// routed is nil for a call that the API has no route for.
func (p *stackPage) routed(call *Call) *Call {
	if call == nil || p.hasRoute == nil || !p.hasRoute(call.Method, call.Path) {
		return nil
	}
	return call
}
