package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/local/template"
)

// cors answers browsers as an HTTP API with a CORS configuration does. Without one nothing is done here: an OPTIONS
// request is one like any other, and a function's own headers reach the client.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
type cors struct{ *template.CORS }

// isPreflight tells whether a browser asks if it may send a request. The gateway answers it on every path, and no
// function is called.
func (c cors) isPreflight(r *http.Request) bool {
	return c.CORS != nil && r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight is the answer to OPTIONS. Another origin gets the same one without a header that would allow it anything.
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

// apply puts the configured headers into the place of those that a function has set.
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

// allow tells whether the request's origin is allowed, and sets what the answers to all of its requests have. An answer
// that names one origin is not to be given to another from a cache.
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
	if c.AllowCredentials {
		set(header, "Access-Control-Allow-Credentials", "true")
	}
	return true
}

// set sets a header to a list, and leaves it out where that is empty.
func set(header http.Header, name string, values ...string) {
	if len(values) > 0 {
		header.Set(name, strings.Join(values, ","))
	}
}
