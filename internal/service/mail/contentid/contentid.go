// Package contentid finds the files of a mail that its HTML shows. A cid URL names such a file by its Content-ID
// (RFC 2392).
package contentid

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// MaxUnknown bounds the memory that HTML takes for the files that it shows and that are not there.
const MaxUnknown = 1000

// Find reports for each Content-ID, given without angle brackets, whether a cid URL of the HTML names it, and lists the
// IDs that the HTML shows and that are not among them, at most [MaxUnknown]. It looks at all attributes, at style
// sheets and at comments, because Outlook reads conditional comments. A URL counts both as written and decoded, because
// mail readers compare both ways. Visible text names nothing. What stands in a comment, or in an attribute that shows
// no file, is not listed: it may be mere words. Where there are no IDs, the HTML must spell "cid:" without a character
// reference to be listed. Find needs linear time.
func Find(text string, ids []string) (named map[string]bool, unknown []string) {
	f := finder{named: map[string]bool{}, listed: map[string]bool{}}
	// Most mails show no file. They are not taken apart.
	if len(ids) == 0 && !hasScheme(text) {
		return f.named, nil
	}
	for _, id := range ids {
		f.named[id] = false
	}
	tokens := html.NewTokenizer(strings.NewReader(text))
	inStyle := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return f.named, f.unknown
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			inStyle = string(name) == "style"
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				f.attribute(string(key), strings.TrimSpace(string(value)))
			}
		case html.EndTagToken:
			inStyle = false
		case html.TextToken:
			if inStyle {
				f.inside(string(tokens.Text()), true)
			}
		case html.CommentToken:
			f.inside(string(tokens.Text()), false)
		}
	}
}

// whole are the attributes that show the file of their URL, or lead to it.
var whole = map[string]bool{"src": true, "href": true, "background": true, "poster": true, "data": true}

type finder struct {
	named   map[string]bool // the given IDs, each with whether it was found
	unknown []string
	listed  map[string]bool // those in unknown
}

// attribute looks at an attribute as a whole, because an ID may have characters that end a URL inside a text. Then it
// looks at the URLs inside.
func (f *finder) attribute(name, value string) {
	f.match(value, whole[name])
	f.inside(value, name == "style" || name == "srcset")
}

// inside looks at the URLs inside a text. Shows says that each of them shows a file.
func (f *finder) inside(text string, shows bool) {
	for {
		before, after, found := strings.Cut(text, ":")
		if !found {
			return
		}
		text = after
		if at := len(before) - len("cid"); endsInScheme(before) && (at == 0 || !isWord(before[at-1])) {
			id := after
			if end := strings.IndexAny(after, " \t\n\f\r\"'<>()\\,;"); end >= 0 {
				id = after[:end]
			}
			f.match("cid:"+id, shows)
			text = after[len(id):]
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// hasScheme reports whether a text has a "cid:", in any case.
func hasScheme(text string) bool {
	for {
		before, after, found := strings.Cut(text, ":")
		if !found || endsInScheme(before) {
			return found
		}
		text = after
	}
}

func endsInScheme(before string) bool {
	at := len(before) - len("cid")
	return at >= 0 && strings.EqualFold(before[at:], "cid")
}

// match marks the ID that a cid URL names, as written or decoded. If the URL shows a file that is not there, its ID is
// listed, unless a placeholder is left in it.
func (f *finder) match(address string, shows bool) {
	const scheme = "cid:"
	if len(address) <= len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return
	}
	written := address[len(scheme):]
	decoded, _ := url.PathUnescape(written) // "" if it is malformed
	found := false
	for _, id := range []string{written, decoded} {
		if _, wanted := f.named[id]; wanted {
			f.named[id], found = true, true
		}
	}
	if shows && !found && len(f.unknown) < MaxUnknown && !f.listed[written] && !strings.ContainsAny(written, "{}") {
		f.listed[written] = true
		f.unknown = append(f.unknown, written)
	}
}
