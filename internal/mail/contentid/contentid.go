// Package contentid finds the files of a mail that its HTML shows. A cid URL names such a file by its Content-ID
// (RFC 2392).
package contentid

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// cidURL matches a cid URL inside a longer text, such as a style. It is compiled at its first use, so that it does
// not slow the function's start.
var cidURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bcid:[^\s"'<>()\\,;]+`) })

// Named reports for each Content-ID, given without angle brackets, whether a cid URL of the HTML names it. It looks
// at all attributes, at style sheets and at comments, because Outlook reads conditional comments. A URL counts both
// as written and decoded, because mail readers compare both ways. Visible text names nothing. Named needs linear
// time, and memory for one token.
func Named(text string, ids []string) map[string]bool {
	f := finder{}
	for _, id := range ids {
		f[id] = false
	}
	tokens := html.NewTokenizer(strings.NewReader(text))
	inStyle := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return f
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			inStyle = string(name) == "style"
			for more {
				var value []byte
				_, value, more = tokens.TagAttr()
				f.find(string(value))
			}
		case html.EndTagToken:
			inStyle = false
		case html.TextToken:
			if inStyle {
				f.find(string(tokens.Text()))
			}
		case html.CommentToken:
			f.find(string(tokens.Text()))
		}
	}
}

// finder has the wanted IDs, each with whether it was found.
type finder map[string]bool

// find looks at the text as a whole, because an ID may have characters that end a URL inside a text. Then it looks at
// the URLs inside the text.
func (f finder) find(text string) {
	f.match(strings.TrimSpace(text))
	for {
		at := cidURL().FindStringIndex(text)
		if at == nil {
			return
		}
		f.match(text[at[0]:at[1]])
		text = text[at[1]:]
	}
}

// match marks the ID that a cid URL names, as written or decoded.
func (f finder) match(address string) {
	const scheme = "cid:"
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return
	}
	id := address[len(scheme):]
	decoded, _ := url.PathUnescape(id) // "" if it is malformed
	for _, id := range []string{id, decoded} {
		if _, wanted := f[id]; wanted {
			f[id] = true
		}
	}
}
