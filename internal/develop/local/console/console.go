// Package console is the local stand-in for AWS's own consoles: it shows what the stack has sent, what it was asked,
// how its builds stand, and the credentials for requests. The pages are plain HTML, CSS and JavaScript that read JSON
// from the paths beside them. Mails are taken apart here, and shown in a sandbox.
package console

import (
	"net/http"
	"strings"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/ses"
)

// pagesPrefix is the beginning of paths that belong to the stack itself, not to the template.
const pagesPrefix = "/_local/"

// Console serves the pages of a stack, for this machine only: the screen, and the JSON that it reads.
type Console struct {
	pages   http.Handler // mux behind guard
	mux     *http.ServeMux
	api     http.Handler
	home    bool // whether "/" leads to the console, because the API has no such route
	hosts   []string
	changes *changes
	shown   *stackPage
}

// Sources are what the console shows.
type Sources struct {
	Outbox interface {
		http.Handler
		Mails() []ses.Mail // newest first
		Raw(mailID string) (message []byte, ok bool)
	}
	Requests interface {
		http.Handler
		Warnings() map[string][]string // of the API, by the ids of requests
	}
	Builds http.Handler
	API    interface { // serves every path that is not the console's
		http.Handler
		HasRoute(method, path string) bool
	}
}

// New returns a console without pages; see Open. Its pages and the API answer under the names of hosts, besides those
// of the loopback.
func New(hosts ...string) *Console {
	c := &Console{mux: http.NewServeMux(), hosts: hosts, changes: newChanges(), shown: new(stackPage)}
	// Without this, the JSON of a stack that shows nothing would contain null.
	c.shown.show(Shown{})
	c.pages = guard(hosts, c.mux)
	return c
}

// Open adds the pages.
func (c *Console) Open(s Sources) {
	c.api = httpserver.ForHosts(s.API, c.hosts...)
	c.home = !s.API.HasRoute(http.MethodGet, "/")
	c.shown.link(s.API.HasRoute)
	screen{
		raw: s.Outbox.Raw, mails: s.Outbox.Mails, warnings: s.Requests.Warnings, digests: new(digests),
	}.handle(c.mux)
	c.mux.Handle("GET /_local", http.RedirectHandler(pagesPrefix, http.StatusFound))
	// No method here: the outbox serves GET and DELETE, and refuses the others itself.
	c.mux.Handle("/_local/outbox", s.Outbox)
	c.mux.Handle("/_local/outbox/{id}", s.Outbox)
	c.mux.Handle("/_local/requests", s.Requests)
	c.mux.Handle("/_local/requests/{id}", s.Requests)
	c.mux.Handle("GET /_local/builds", s.Builds)
	c.mux.Handle("GET /_local/stack", c.shown)
	c.mux.Handle("GET /_local/events", c.changes)
}

// ServeHTTP serves the pages and the API. They do not share a mux, because a mux would redirect unclean paths of
// the API.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	// The slash makes /_local a path of the console, but not /_locality.
	case strings.HasPrefix(r.URL.Path+"/", pagesPrefix):
		c.pages.ServeHTTP(w, r)
	case c.home && r.Method == http.MethodGet && r.URL.Path == "/":
		http.Redirect(w, r, pagesPrefix, http.StatusFound)
	default:
		c.api.ServeHTTP(w, r)
	}
}

// Handle adds a page. The pattern is one of http.ServeMux, with a path below /_local/.
func (c *Console) Handle(pattern string, h http.Handler) { c.mux.Handle(pattern, h) }

// Changed returns a function that tells open screens that a part of the stack has changed.
func (c *Console) Changed(t Topic) func() { return func() { c.changes.publish(t) } }

// Show sets what else to show. It replaces what was set before.
func (c *Console) Show(shown Shown) {
	c.shown.show(shown)
	c.changes.publish(topicShown)
}

// Close ends the event streams of open screens.
func (c *Console) Close() { c.changes.close() }
