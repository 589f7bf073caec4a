// Package loginpage is the page that a login link opens. It shows the user's address, and signs in when its button is
// pressed, not before: programs that scan mails and open every link must not spend it.
//
// The page is the same for every link: what the link says is read by the page's script, which shows it as text.
package loginpage

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"maps"
	"strings"

	"frontdesk/internal/api"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	page   = []byte(strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(frame))
	header = map[string]string{
		"content-type":               "text/html; charset=utf-8",
		"content-security-policy":    policy(),
		"cross-origin-opener-policy": "same-origin",
		"referrer-policy":            "no-referrer",
		"x-frame-options":            "DENY",
	}
	secureHeader = withStrictTransport(header)
)

// withStrictTransport tells browsers to come to this host by HTTPS alone, for a year (RFC 6797 section 6.1). It names
// neither subdomains nor the browsers' preload list, because the domain above is the operator's.
func withStrictTransport(header map[string]string) map[string]string {
	header = maps.Clone(header)
	header["strict-transport-security"] = "max-age=31536000"
	return header
}

// policy lets the page run its own script and style, call the API that it is served from, and nothing else; no text
// becomes a script.
// https://www.w3.org/TR/CSP3/
func policy() string {
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Function is the endpoint GET /app/login.
func Function() api.Function {
	return api.Function{Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
		if r.Scheme() == "https" {
			return api.Response{Body: page, Header: secureHeader}, nil
		}
		return api.Response{Body: page, Header: header}, nil // RFC 6797 section 7.2
	}}
}
