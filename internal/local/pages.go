package local

import (
	"net/http"
	"strings"

	"frontdesk/internal/local/console"
)

// pagesPrefix is where the paths begin that are the stack's own, not the template's.
const pagesPrefix = "/_local/"

// openPages adds the console and what it reads.
func (s *Stack) openPages() {
	screen := console.New(s.outbox.Raw)
	s.pages.Handle("GET /_local", http.RedirectHandler(pagesPrefix, http.StatusFound))
	s.pages.Handle("GET /_local/{$}", screen)
	s.pages.Handle("GET /_local/assets/", screen)
	s.pages.Handle("GET /_local/outbox/{id}/{part...}", screen)
	s.pages.Handle("/_local/outbox", s.outbox)
	s.pages.Handle("/_local/outbox/{id}", s.outbox)
	s.pages.Handle("/_local/requests", s.requests)
	s.pages.Handle("/_local/requests/{id}", s.requests)
	s.pages.Handle("GET /_local/builds", s.builds)
	s.pages.Handle("GET /_local/stack", s.shown)
	s.pages.Handle("GET /_local/events", s.changes)
}

// isPage tells whether a path is one of the stack's own.
func isPage(path string) bool {
	return strings.HasPrefix(path+"/", pagesPrefix)
}
