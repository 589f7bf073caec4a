package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ForPrograms lets h answer programs, such as the SDKs and curl, but no web page: a page of any origin in a browser on
// this machine can reach each of its ports. [ForHosts] says which names are allowed.
func ForPrograms(h http.Handler, names ...string) http.Handler {
	return ForHosts(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Browsers send one of these with every request to this machine. Programs send neither.
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			WriteError(w, http.StatusForbidden, "Forbidden: web pages may not call it")
			return
		}
		h.ServeHTTP(w, r)
	}), names...)
}

// containerHost is the name of this machine within containers.
const containerHost = "host.docker.internal"

// ForHosts lets h answer requests that call it by an address, which nobody can redirect, by a name that is [CallsHost],
// or by the name that containers use.
func ForHosts(h http.Handler, names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !byAddress(r) && !CallsHost(r, containerHost) && !CallsHost(r, names...) {
			WriteError(w, http.StatusForbidden,
				"Forbidden: call it by its address, as localhost, or allow the name with --allowed-host")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// CallsHost reports whether a request calls its server localhost, or by one of the names. The owner of any other name
// can point it at 127.0.0.1, and then a page of that name can read what is served there (DNS rebinding). Its requests
// still have that name in the Host header.
func CallsHost(r *http.Request, names ...string) bool {
	host := hostname(r)
	isHost := func(name string) bool { return strings.EqualFold(name, host) }
	return isHost("localhost") || slices.ContainsFunc(names, isHost)
}

// byAddress reports whether a request calls its server by an IP address, in a form that browsers treat as this machine:
// for 0.0.0.0 they leave out Sec-Fetch-Site.
func byAddress(r *http.Request) bool {
	addr, err := netip.ParseAddr(hostname(r))
	return err == nil && !addr.IsUnspecified() && !addr.Is4In6()
}

// FromElsewhere reports whether a page of another origin sent the request in any way other than leading the
// browser there.
// https://www.w3.org/TR/fetch-metadata/
func FromElsewhere(r *http.Request) bool {
	_, origin, sent := strings.Cut(r.Header.Get("Origin"), "://")
	if r.Header.Get("Origin") == "null" || sent && origin != r.Host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// hostname returns the Host of a request without its port.
func hostname(r *http.Request) string {
	if name, _, err := net.SplitHostPort(r.Host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(r.Host, "["), "]")
}
