package console

import (
	"net/http"
	"slices"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/httpserver"
)

// The Content-Security-Policies, beside that of a mail's HTML (html.go).
// https://www.w3.org/TR/CSP3/
const (
	// nothing is what every page starts from.
	nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// screenPolicy lets the screen load its own files, and nothing else; no script in the page's text, and none made of
	// text at run time.
	screenPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'"
)

// guard answers only who calls this machine by a name of its own, or by one of the hosts, and no page of another
// origin than to open it in a tab. What guard lets through is neither stored, nor sniffed, nor framed, unless the page
// says otherwise.
func guard(hosts []string, pages http.Handler) http.Handler {
	names := slices.Concat([]string{"127.0.0.1", "::1"}, hosts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", nothing)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // mails have login links, and there are credentials
		switch {
		case !httpserver.Named(r, names...):
			httpbody.WriteError(w, http.StatusForbidden, "Forbidden: open it as localhost or 127.0.0.1")
		case httpserver.FromElsewhere(r):
			httpbody.WriteError(w, http.StatusForbidden, "Forbidden: open it in a tab of its own")
		default:
			pages.ServeHTTP(w, r)
		}
	})
}
