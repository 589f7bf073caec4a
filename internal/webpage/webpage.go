// Package webpage is what the pages for people have in common: their style, and the headers that bind the browser.
package webpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

// Style is the sheet of every page.
//
//go:embed style.css
var Style string

// Header are the headers of a page with a content security policy, for a request by a scheme. By https they tell
// browsers to come to this host by HTTPS alone, for a year (RFC 6797 section 6.1; 7.2 forbids that by http). They name
// neither subdomains nor the browsers' preload list, because the domain above is the operator's.
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

// Hash names a script or a sheet of a page in its policy.
// https://www.w3.org/TR/CSP3/#framework-directive-source-list
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
