// Package loginpage is the page that a login link opens. It shows the user's address, and signs in only when the user
// presses its button: programs that scan mails and open every link must not spend it.
//
// The page is the same for every link. Its script reads the link, and shows what it says as text.
package loginpage

import (
	"context"
	_ "embed"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/webpage"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	styles = webpage.Style + style
	page   = []byte(strings.NewReplacer("{{style}}", styles, "{{script}}", script).Replace(frame))
)

// policy lets the page run its own script and style, and call the API that it comes from, and nothing else. No text can
// become a script. https://www.w3.org/TR/CSP3/
var policy = "default-src 'none'; script-src " + webpage.Hash(script) + "; style-src " + webpage.Hash(styles) +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// Function is the endpoint GET /app/login.
func Function() api.Function {
	return api.Function{Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.Response{Body: page, Header: webpage.Header(r.Scheme(), policy)}, nil
	}}
}
