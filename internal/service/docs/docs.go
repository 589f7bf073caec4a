// Package docs is the API's contract, and the page on which people read it and try it out. Only the function docs
// contains them: the contract is a document, not code that the endpoints run. The tests compare the endpoints with
// it; see the package contracttest.
package docs

import (
	"context"
	_ "embed"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/webpage"

	swagger "github.com/swaggest/swgui/v5/static"
)

// Contract is the OpenAPI document of every endpoint, in JSON. It is written by hand.
// https://spec.openapis.org/oas/v3.0.3.html
//
//go:embed openapi.json
var Contract []byte

var (
	//go:embed page.html
	pageHTML []byte
	//go:embed page.css
	pageCSS []byte
	//go:embed page.js
	pageJS []byte
	//go:embed languages.js
	languagesJS []byte
	//go:embed icon.svg
	iconSVG []byte
)

// policy lets the page load its own files and call the API that serves it, and nothing else. Swagger UI keeps its
// icons in data URLs.
// https://www.w3.org/TR/CSP3/
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	contract = newFile("application/json; charset=utf-8", Contract)
	page     = newFile("text/html; charset=utf-8", pageHTML)

	// assets are the files that the page loads, by name. Of Swagger UI's files they include only those that this
	// page needs.
	assets = map[string]*file{
		"page.css":             newFile("text/css; charset=utf-8", pageCSS),
		"page.js":              newFile("text/javascript; charset=utf-8", pageJS),
		"languages.js":         newFile("text/javascript; charset=utf-8", languagesJS),
		"icon.svg":             newFile("image/svg+xml", iconSVG),
		"swagger-ui.css":       newGzipped("text/css; charset=utf-8", swagger.FS, "swagger-ui.css.gz"),
		"swagger-ui-bundle.js": newGzipped("text/javascript; charset=utf-8", swagger.FS, "swagger-ui-bundle.js.gz"),
	}
)

// Function serves /openapi.json, /openapi-3.0.json, /docs and /docs/{proxy+}.
func Function() api.Function { return api.Function{Handle: serve} }

// serve answers the routes above. A file's name is the rest of the path.
func serve(_ context.Context, r *api.Request) (api.Response, error) {
	_, route, _ := strings.Cut(r.RouteKey, " ")
	name := r.PathParameters["proxy"]
	switch {
	case route == "/openapi.json" || route == "/openapi-3.0.json":
		return contract.answer(nil)
	case route == "/docs":
		return page.answer(webpage.Header(r.Scheme(), policy))
	case name == "mails":
		return mailsPage.answer(webpage.Header(r.Scheme(), mailsPolicy))
	}
	f := assets[name]
	if below, ok := strings.CutPrefix(name, "mails/"); ok {
		f = mailsFiles[below]
	}
	if f == nil {
		return api.Response{}, api.Errorf(api.NotFound, "There is no such file")
	}
	return f.answer(nil)
}
