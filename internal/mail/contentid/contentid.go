// Package contentid finds the files of a mail that its HTML shows: those whose Content-ID a cid URL names (RFC 2392).
package contentid

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// cidURL is a cid URL inside of a longer text, such as a style. It is compiled when it is first needed, which a
// function's start does not wait for.
var cidURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bcid:[^\s"'<>()\\,;]+`) })

// Named reports which of some Content-IDs, without angle brackets, an HTML's cid URLs name: in any attribute, in a
// style sheet, or in a conditional comment, which Outlook reads. A URL counts as it is written and decoded, for mail
// readers compare both ways. Text that a reader is shown names nothing. The time is linear, the memory that of a token.
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

// finder says of each ID that is looked for whether it was found.
type finder map[string]bool

// find looks at a text as a whole, for an ID may hold what ends a URL elsewhere, and at the URLs inside of it.
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

func (f finder) match(address string) {
	const scheme = "cid:"
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return
	}
	id := address[len(scheme):]
	decoded, _ := url.PathUnescape(id) // "" where it cannot be
	for _, id := range []string{id, decoded} {
		if _, wanted := f[id]; wanted {
			f[id] = true
		}
	}
}
