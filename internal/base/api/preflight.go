package api

import "net/http"

// preflight answers OPTIONS, by which a browser asks whether a page of another site may send a request. The template
// has routes of OPTIONS only for what pages of every site may read; [Function.Header] allows their origins. Where the
// API has a CORS configuration, API Gateway answers in place of the function.
// https://fetch.spec.whatwg.org/#http-cors-protocol
var preflight = Response{
	Status: http.StatusNoContent,
	Body:   []byte(nil),
	Header: map[string]string{
		"access-control-allow-methods": "GET, HEAD",
		"access-control-allow-headers": "content-type, if-none-match",
		"access-control-max-age":       "600", // seconds, as in the template's CORS configuration
	},
}
