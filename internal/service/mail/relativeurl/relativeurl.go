// Package relativeurl makes the relative URLs of a page absolute. In a mail they would lead nowhere. Everything else of
// the page stays byte for byte.
package relativeurl

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// ErrTooLarge says that a page would exceed the limit.
var ErrTooLarge = errors.New("the page has too many relative addresses")

// Resolve returns a page whose relative addresses of links, images and styles are resolved against its own URL, or
// against the page's base element. An address with a scheme, such as cid:, one that begins with # and one that begins
// with a placeholder stay as they are. If the base element is no web address, or has a placeholder, nothing can be
// resolved: unresolved then has the relative addresses, each once, and at most [MaxUnresolved]. The result has at most
// limit bytes, or the error is [ErrTooLarge]. Resolve needs linear time.
func Resolve(page string, at *url.URL, limit int) (resolved string, unresolved []string, err error) {
	base, ok := baseOf(page, at)
	w := writer{limit: limit, seen: map[string]bool{}}
	if ok {
		w.base = newBase(base)
	}
	w.page(page, false)
	if w.Len() > limit {
		return "", nil, ErrTooLarge
	}
	return w.String(), w.unresolved, nil
}

// MaxUnresolved bounds the memory that a page takes for its relative addresses.
const MaxUnresolved = 1000

// baseOf returns the URL against which a page resolves its addresses: that of the first base element with an href, else
// its own (HTML 4.2.3). ok is false if a mail's readers could not resolve against it either.
func baseOf(page string, at *url.URL) (base *url.URL, ok bool) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return at, true
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			for more = more && string(name) == "base"; more; {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				if string(key) == "href" {
					base, err := at.Parse(strings.TrimSpace(string(value)))
					ok = err == nil && base.Host != "" && (base.Scheme == "http" || base.Scheme == "https") &&
						!strings.ContainsRune(string(value), '{')
					return base, ok
				}
			}
		}
	}
}

// writer writes a page.
type writer struct {
	strings.Builder
	limit      int
	base       *base // nil if nothing can be resolved
	unresolved []string
	seen       map[string]bool // what unresolved has
}

// page writes HTML. In a comment, comments are not looked into again.
func (w *writer) page(page string, inComment bool) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	inStyle := false
	for w.Len() <= w.limit {
		kind := tokens.Next()
		raw := page[:len(tokens.Raw())]
		page = page[len(raw):]
		switch {
		case kind == html.ErrorToken: // the end, perhaps within a tag
			w.WriteString(raw + page)
			return
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			inStyle = string(name) == "style"
			w.tag(raw, string(name) == "base")
			continue
		case kind == html.TextToken && inStyle:
			w.css(raw, asItIs)
		case kind == html.CommentToken && !inComment:
			w.comment(raw)
		default:
			w.WriteString(raw)
		}
		inStyle = false
	}
}

// comment writes a comment. Outlook shows what stands between [if …]> and <![endif] in it.
func (w *writer) comment(raw string) {
	begin, end := strings.Index(raw, "]>")+len("]>"), strings.LastIndex(raw, "<![endif]")
	if !strings.HasPrefix(raw, "<!--[if") || begin < len("]>") || end < begin {
		w.WriteString(raw)
		return
	}
	w.WriteString(raw[:begin])
	w.page(raw[begin:end], true)
	w.WriteString(raw[end:])
}

// Attributes that hold an address. Those that hold several, or a style, are in the switch of tag.
var addresses = map[string]bool{
	"href": true, "src": true, "background": true, "poster": true, "action": true, "formaction": true, "data": true,
	"xlink:href": true,
}

// tag writes a start tag. The address of a base element itself stays.
func (w *writer) tag(raw string, isBase bool) {
	written := 0
	for a := range attributes(raw) {
		if w.Len() > w.limit {
			return
		}
		value := raw[a.start:a.end]
		w.WriteString(raw[written:a.start])
		written = a.end
		switch name := strings.ToLower(a.name); {
		case isBase:
			w.WriteString(value)
		case addresses[name]:
			w.address(value, html.EscapeString)
		case name == "srcset":
			w.srcset(value)
		case name == "style":
			w.css(value, html.EscapeString)
		default:
			w.WriteString(value)
		}
	}
	w.WriteString(raw[written:])
}

// srcset writes the candidates of an image, each an address with a descriptor: "a.png 1x, b.png 2x" (HTML 4.8.4.2.1).
func (w *writer) srcset(value string) {
	for value != "" && w.Len() <= w.limit {
		rest := strings.TrimLeft(value, space+",")
		w.WriteString(value[:len(value)-len(rest)])
		end := untilAny(rest, space)
		candidate := strings.TrimRight(rest[:end], ",")
		w.address(candidate, html.EscapeString)
		rest = rest[len(candidate):]
		end = 0
		if !strings.HasPrefix(rest, ",") { // a descriptor, up to the next candidate
			end = untilAny(rest, ",")
		}
		w.WriteString(rest[:end])
		value = rest[end:]
	}
}

// address writes an address. Escape writes what goes before it.
func (w *writer) address(raw string, escape func(string) string) {
	ref := strings.Trim(raw, space)
	if !isRelative(html.UnescapeString(ref)) {
		w.WriteString(raw)
		return
	}
	if w.base == nil {
		if len(w.unresolved) < MaxUnresolved && !w.seen[ref] {
			w.seen[ref] = true
			w.unresolved = append(w.unresolved, ref)
		}
		w.WriteString(raw)
		return
	}
	before, rest := w.base.resolve(plainStart(ref))
	w.WriteString(escape(before))
	w.WriteString(rest)
}

func asItIs(s string) string { return s }

// plainStart returns an address whose dots and slashes at the start have no escapes. Some template engines write a
// slash as &#x2F;.
func plainStart(ref string) string {
	const signs = "./"
	value := html.UnescapeString(ref)
	if len(strings.TrimLeft(ref, signs)) == len(ref)-(len(value)-len(strings.TrimLeft(value, signs))) {
		return ref
	}
	return html.EscapeString(value)
}

// scheme matches an address with a scheme (RFC 3986 section 3.1).
var scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`) })

// isRelative reports whether an address has to be resolved.
func isRelative(address string) bool {
	return address != "" && address[0] != '#' && address[0] != '{' && !scheme().MatchString(address)
}
