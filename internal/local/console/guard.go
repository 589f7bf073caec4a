package console

import (
	"net"
	"net/http"
	"strings"

	"frontdesk/internal/local/httpbody"
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

// guard answers only who calls this machine by a name of its own. A page of the web can point a name of its own at
// 127.0.0.1 and then read what that serves (DNS rebinding); the Host is still its name. What guard lets through is
// neither stored, nor sniffed, nor framed, unless the page says otherwise.
func guard(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", nothing)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // mails have login links, and there are credentials
		if !isLoopback(r.Host) {
			httpbody.WriteError(w, http.StatusForbidden, "Forbidden: open it as localhost or 127.0.0.1")
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// isLoopback tells whether a Host header, with or without a port, is this machine's own name.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.EqualFold(host, "localhost") || host == "127.0.0.1" || host == "::1"
}
