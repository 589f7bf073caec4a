// Package console is what a stack shows of itself on this machine, in the place of AWS's own consoles: what it has
// sent, what it was asked, how its builds stand, and the credentials to ask with. The pages are plain HTML, CSS and
// JavaScript, and read JSON that is served beside them. Mails are taken apart here, and shown in a sandbox.
package console

import (
	"net/http"
	"strings"

	"frontdesk/internal/local/httpserver"
	"frontdesk/internal/local/ses"
)

// pagesPrefix is where the paths begin that are the stack's own, not the template's.
const pagesPrefix = "/_local/"

// Console is the pages of a stack's own, for this machine alone: the screen, and what it reads.
type Console struct {
	pages   http.Handler // mux, guarded
	mux     *http.ServeMux
	api     http.Handler
	home    bool // whether "/" leads to the console: it is no path of the API
	hosts   []string
	changes *changes
	shown   *stackPage
}

// Sources is what the console shows.
type Sources struct {
	Outbox interface {
		http.Handler
		Mails() []ses.Mail // newest first
		Raw(mailID string) (message []byte, ok bool)
	}
	Requests interface {
		http.Handler
		Warnings() map[string][]string // of the API, by the ids of the requests
	}
	Builds, Table http.Handler
	API           interface { // which all paths lead to that are not the console's
		http.Handler
		HasRoute(method, path string) bool
	}
}

// New has no pages yet: see Open. The hosts are names that its pages and the API answer to, beside the loopback's.
func New(hosts ...string) *Console {
	c := &Console{mux: http.NewServeMux(), hosts: hosts, changes: newChanges(), shown: new(stackPage)}
	c.shown.show(Shown{})
	c.pages = guard(hosts, c.mux)
	return c
}

// Open adds the pages.
func (c *Console) Open(s Sources) {
	c.api = httpserver.ForNames(s.API, c.hosts...)
	c.home = !s.API.HasRoute(http.MethodGet, "/")
	c.shown.link(s.API.HasRoute)
	screen{
		raw: s.Outbox.Raw, mails: s.Outbox.Mails, warnings: s.Requests.Warnings, digests: new(digests),
	}.handle(c.mux)
	c.mux.Handle("GET /_local", http.RedirectHandler(pagesPrefix, http.StatusFound))
	c.mux.Handle("/_local/outbox", s.Outbox)
	c.mux.Handle("/_local/outbox/{id}", s.Outbox)
	c.mux.Handle("/_local/requests", s.Requests)
	c.mux.Handle("/_local/requests/{id}", s.Requests)
	c.mux.Handle("GET /_local/builds", s.Builds)
	c.mux.Handle("GET /_local/table", s.Table)
	c.mux.Handle("GET /_local/table/{what}", s.Table)
	c.mux.Handle("GET /_local/stack", c.shown)
	c.mux.Handle("GET /_local/events", c.changes)
}

// ServeHTTP answers for the pages and the API. They have no mux together: one would redirect paths that are unclean.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path+"/", pagesPrefix):
		c.pages.ServeHTTP(w, r)
	case c.home && r.Method == http.MethodGet && r.URL.Path == "/":
		http.Redirect(w, r, pagesPrefix, http.StatusFound)
	default:
		c.api.ServeHTTP(w, r)
	}
}

// Handle adds a page. The pattern is http.ServeMux's, with a path under /_local/.
func (c *Console) Handle(pattern string, h http.Handler) { c.mux.Handle(pattern, h) }

// Changed returns what tells open screens that a part of the stack has changed.
func (c *Console) Changed(t Topic) func() { return func() { c.changes.publish(t) } }

// Show tells what else to show, instead of what it was told before.
func (c *Console) Show(shown Shown) {
	c.shown.show(shown)
	c.changes.publish(topicShown)
}

// Close ends the events that open screens wait for.
func (c *Console) Close() { c.changes.close() }
