// Package webpage has what all pages for people share: their style, and the headers that restrict the browser.
package webpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

// Style is the style sheet of every page.
//
//go:embed style.css
var Style string

// Header returns the headers of a page with a content security policy, for a request with this scheme. For https they
// tell browsers to use only HTTPS for this host, for a year (RFC 6797 section 6.1; section 7.2 forbids that for http).
// They include neither subdomains nor the browsers' preload list, because the domain above belongs to the operator.
func Header(scheme, policy string) map[string]string {
	header := map[string]string{
		"content-type":               "text/html; charset=utf-8",
		"content-security-policy":    policy,
		"cross-origin-opener-policy": "same-origin",
		"referrer-policy":            "no-referrer",
		"x-frame-options":            "DENY",
	}
	if scheme == "https" {
		header["strict-transport-security"] = "max-age=31536000"
	}
	return header
}

// Hash names a script or a style sheet of a page in its policy.
// https://www.w3.org/TR/CSP3/#framework-directive-source-list
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
