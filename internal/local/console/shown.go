package console

import (
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/local/httpbody"
)

// Shown is what the console shows beside what it sees of the stack itself.
type Shown struct {
	Credentials []Credential // in this order, each with a button that copies it
	FirstMail   string       // a shell command that sends a mail, for an outbox that is empty
}

// Credential is a value that calls of the API need.
type Credential struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// stackPage is what the console knows of its stack. As an http.Handler it is that in JSON.
type stackPage struct {
	mu    sync.Mutex
	links []link
	shown Shown
}

// link is a page of the API's own.
type link struct {
	Label string `json:"label"`
	Path  string `json:"path"`
}

// wellKnown are the pages that an API may have for people.
var wellKnown = []link{{"API docs", "/docs"}, {"Login page", "/app/login"}}

func newStackPage() *stackPage { return &stackPage{links: []link{}} }

// link adds links to those well-known pages that the API has.
func (p *stackPage) link(hasRoute func(method, path string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range wellKnown {
		if hasRoute(http.MethodGet, l.Path) {
			p.links = append(p.links, l)
		}
	}
}

func (p *stackPage) show(shown Shown) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown.Credentials = slices.Clone(shown.Credentials)
	p.shown = shown
}

func (p *stackPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	links, shown := p.links, p.shown
	p.mu.Unlock()
	httpbody.WriteJSON(w, struct {
		Links       []link       `json:"links"`
		Credentials []Credential `json:"credentials"`
		FirstMail   string       `json:"first_mail"`
	}{links, append([]Credential{}, shown.Credentials...), shown.FirstMail})
}
