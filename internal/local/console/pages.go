package console

import (
	"net/http"
	"strings"
)

// pagesPrefix is where the paths begin that are the stack's own, not the template's.
const pagesPrefix = "/_local/"

// IsPage tells whether a path is one of the stack's own.
func IsPage(path string) bool {
	return strings.HasPrefix(path+"/", pagesPrefix)
}

// Console is the stack's own pages, for this machine alone: the screen, and what it reads.
type Console struct {
	http.Handler
	mux     *http.ServeMux
	changes *changes
	shown   *stackPage
}

// Sources is what the console shows.
type Sources struct {
	Outbox   http.Handler
	Raw      func(mailID string) (message []byte, ok bool)
	Requests http.Handler
	Builds   http.Handler
	HasRoute func(method, path string) bool // of the API
}

// New has no pages yet: see Open.
func New() *Console {
	c := &Console{mux: http.NewServeMux(), changes: newChanges(), shown: newStackPage()}
	c.Handler = guard(c.mux)
	return c
}

// Open adds the pages.
func (c *Console) Open(s Sources) {
	c.shown.link(s.HasRoute)
	screen := newScreen(s.Raw)
	c.mux.Handle("GET /_local", http.RedirectHandler(pagesPrefix, http.StatusFound))
	c.mux.Handle("GET /_local/{$}", screen)
	c.mux.Handle("GET /_local/assets/", screen)
	c.mux.Handle("GET /_local/outbox/{id}/{part...}", screen)
	c.mux.Handle("/_local/outbox", s.Outbox)
	c.mux.Handle("/_local/outbox/{id}", s.Outbox)
	c.mux.Handle("/_local/requests", s.Requests)
	c.mux.Handle("/_local/requests/{id}", s.Requests)
	c.mux.Handle("GET /_local/builds", s.Builds)
	c.mux.Handle("GET /_local/stack", c.shown)
	c.mux.Handle("GET /_local/events", c.changes)
}

// Handle adds a page. The pattern is http.ServeMux's, with a path under /_local/.
func (c *Console) Handle(pattern string, h http.Handler) { c.mux.Handle(pattern, h) }

// Changed returns what tells open screens that a part of the stack has changed.
func (c *Console) Changed(t Topic) func() { return func() { c.changes.tell(t) } }

// Show tells what else to show, instead of what it was told before.
func (c *Console) Show(shown Shown) {
	c.shown.show(shown)
	c.changes.tell(topicShown)
}

// Close ends the events that open screens wait for.
func (c *Console) Close() { c.changes.close() }
