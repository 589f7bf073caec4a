package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/develop/local/samtemplate"
)

// cors answers browsers as an HTTP API with a CORS configuration does. Without a configuration it does nothing: OPTIONS
// is a method like any other, and the function's own headers reach the client.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
type cors struct{ *samtemplate.CORS }

// isPreflight reports whether a browser asks for permission to send a request. The gateway answers preflights on every
// path, without calling a function.
func (c cors) isPreflight(r *http.Request) bool {
	return c.CORS != nil && r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight returns the answer to OPTIONS. For an origin that is not allowed, it has the same status and no headers.
func (c cors) preflight(r *http.Request) *response {
	answer := &response{status: http.StatusNoContent, header: http.Header{}}
	if c.isPreflight(r) && c.allow(r, answer.header) {
		set(answer.header, "Access-Control-Allow-Methods", c.AllowMethods...)
		set(answer.header, "Access-Control-Allow-Headers", c.AllowHeaders...)
		if c.MaxAge != 0 {
			set(answer.header, "Access-Control-Max-Age", strconv.Itoa(c.MaxAge))
		}
	}
	return answer
}

// apply replaces the function's headers of CORS by the configured ones.
func (c cors) apply(r *http.Request, answer *response) {
	if c.CORS == nil {
		return
	}
	for name := range answer.header {
		if strings.HasPrefix(name, "Access-Control-") {
			answer.header.Del(name)
		}
	}
	if c.allow(r, answer.header) {
		set(answer.header, "Access-Control-Expose-Headers", c.ExposeHeaders...)
	}
}

// allow reports whether the request's origin is allowed, and then sets the headers that every answer to it has. An
// answer that names an origin varies: a cache must not give it to another origin.
func (c cors) allow(r *http.Request, header http.Header) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.ContainsFunc(c.AllowOrigins, func(allowed string) bool {
		scheme, any := strings.CutSuffix(allowed, "*") // "*", "https://*" or "http://*"
		return allowed == origin || any && strings.HasPrefix(origin, scheme)
	}) {
		return false
	}
	if slices.Contains(c.AllowOrigins, "*") {
		origin = "*"
	} else {
		header.Add("Vary", "origin")
	}
	set(header, "Access-Control-Allow-Origin", origin)
	return true
}

// set sets a header to a comma-separated list. It sets nothing if the list is empty.
func set(header http.Header, name string, values ...string) {
	if len(values) > 0 {
		header.Set(name, strings.Join(values, ","))
	}
}
