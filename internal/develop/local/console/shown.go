package console

import (
	"net/http"
	"sync"

	"frontdesk/internal/develop/local/httpserver"
)

// Shown is what the console shows besides what it sees of the stack itself.
type Shown struct {
	Credentials []Credential `json:"credentials"` // in this order, each with a button to copy it
	FirstMail   string       `json:"first_mail"`  // a shell command that sends a mail, for an empty outbox
	Scan        string       `json:"scan"`        // a shell command that prints the table; "" for none
	TestMail    *Call        `json:"test_mail"`   // the request for a test mail; nil for none
	Login       *Call        `json:"login"`       // creates a login link of a user, as {"url": …}; nil for none
}

// Call is a request to the API.
type Call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
	// Headers are the header fields by name, or nil.
	Headers map[string]string `json:"headers,omitempty"`
}

// Credential is a value that requests to the API need.
type Credential struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// link is a page of the API itself.
type link struct {
	Label string `json:"label"`
	Path  string `json:"path"`
}

// wellKnown are pages for people that an API may have.
var wellKnown = []link{{"API docs", "/docs"}, {"Mail log", "/docs/mails"}, {"Login page", "/app/login"}}

// stackPage is what the console knows of its stack. As an http.Handler it answers with that in JSON.
type stackPage struct {
	mu       sync.Mutex
	state    stackState
	hasRoute func(method, path string) bool // nil until the API is known
}

// stackState is the JSON of a stackPage.
type stackState struct {
	Links []link `json:"links"`
	Shown
}

// link adds links to those well-known pages that the API has.
func (p *stackPage) link(hasRoute func(method, path string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasRoute = hasRoute
	p.state.Links = []link{} // never null in JSON
	for _, l := range wellKnown {
		if hasRoute(http.MethodGet, l.Path) {
			p.state.Links = append(p.state.Links, l)
		}
	}
}

// show replaces what is shown, and copies the credentials: the caller may change its slice.
func (p *stackPage) show(shown Shown) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown.Credentials = append([]Credential{}, shown.Credentials...) // never null in JSON
	p.state.Shown = shown
}

func (p *stackPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	state := p.state
	// The routes are asked at each request, because Show may come before Open.
	state.TestMail, state.Login = p.routed(state.TestMail), p.routed(state.Login)
	p.mu.Unlock()
	httpserver.WriteJSON(w, state)
}

// routed returns nil for a call for which the API has no route.
func (p *stackPage) routed(call *Call) *Call {
	// The screen would otherwise offer a button that answers 404.
	if call == nil || p.hasRoute == nil || !p.hasRoute(call.Method, call.Path) {
		return nil
	}
	return call
}
