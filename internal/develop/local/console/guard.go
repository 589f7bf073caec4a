package console

import (
	"net/http"
	"slices"

	"frontdesk/internal/develop/local/httpserver"
)

// The Content-Security-Policies. That of a mail's HTML is in html.go.
// https://www.w3.org/TR/CSP3/
const (
	// nothing is the policy with which every page starts.
	nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// screenPolicy allows the screen to load its own files, and nothing else. Scripts can neither be inline nor be made
	// from text at run time.
	screenPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'"
)

// guard serves only requests that call this machine by one of its own names, or by one of the hosts. A page of another
// origin can do no more than open the console in a tab. Answers are neither stored, nor sniffed, nor framed, unless a
// page says otherwise.
func guard(hosts []string, pages http.Handler) http.Handler {
	names := slices.Concat([]string{"127.0.0.1", "::1"}, hosts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		// Pages that need more replace this one, so an answer without a policy of its own allows nothing.
		h.Set("Content-Security-Policy", nothing)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // mails contain login links, and there are credentials
		switch {
		case !httpserver.CallsHost(r, names...):
			httpserver.WriteError(w, http.StatusForbidden, "Forbidden: open it as localhost or 127.0.0.1")
		case httpserver.FromElsewhere(r):
			httpserver.WriteError(w, http.StatusForbidden, "Forbidden: open it in a tab of its own")
		default:
			pages.ServeHTTP(w, r)
		}
	})
}
