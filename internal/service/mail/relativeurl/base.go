package relativeurl

import (
	"net/url"
	"strings"
)

// base is the URL against which addresses are resolved. Addresses are joined as texts, because a placeholder in one of
// them must stay as it is, and a URL would escape its braces.
type base struct {
	scheme, origin string // "https", "https://example.com"
	path           string // begins with a slash
	slashes        []int  // where they are in path: a path may be long, and is not to be searched for each address
}

// inStyles escapes what ends an address in a style. The path of a URL may have it.
var inStyles = strings.NewReplacer("'", "%27", "(", "%28", ")", "%29")

func newBase(u *url.URL) *base {
	path := inStyles.Replace(u.EscapedPath())
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	b := &base{scheme: u.Scheme, origin: u.Scheme + "://" + u.Host, path: path}
	for i := range len(path) {
		if path[i] == '/' {
			b.slashes = append(b.slashes, i)
		}
	}
	return b
}

// resolve returns what goes before a relative address, and what is left of it (RFC 3986 section 5.2). Dots that are not
// at the start of the address stay: a browser resolves them all the same.
func (b *base) resolve(ref string) (before, rest string) {
	switch {
	case strings.HasPrefix(ref, "//"):
		return b.scheme + ":", ref
	case strings.HasPrefix(ref, "/"):
		return b.origin, ref
	case strings.HasPrefix(ref, "?"):
		return b.origin + b.path, ref
	}
	depth := len(b.slashes) - 1 // the folder ends at the slash of that index
	for {
		if after, ok := cutDots(ref, "."); ok {
			ref = after
		} else if after, ok := cutDots(ref, ".."); ok {
			ref, depth = after, max(0, depth-1) // nothing is above the root
		} else {
			return b.origin + b.path[:b.slashes[depth]+1], ref
		}
	}
}

// cutDots cuts a first segment of dots from an address.
func cutDots(ref, dots string) (after string, ok bool) {
	after, ok = strings.CutPrefix(ref, dots)
	if !ok || after == "" {
		return after, ok
	}
	if after[0] == '/' {
		return after[1:], true
	}
	return after, after[0] == '?' || after[0] == '#'
}
