package placeholder

import (
	"strings"

	"golang.org/x/net/html"
)

// addresses are the attributes of HTML that hold an address.
var addresses = map[string]bool{
	"href": true, "src": true, "background": true, "poster": true, "action": true, "formaction": true,
}

// WithinAddresses returns those of some names whose placeholders stand within an address of HTML. At the beginning of
// one, the value is an address itself.
func WithinAddresses(text string, names map[string]bool) map[string]bool {
	within := map[string]bool{}
	tokens := html.NewTokenizer(strings.NewReader(text))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		_, more := tokens.TagName()
		for more {
			var key, value []byte
			key, value, more = tokens.TagAttr()
			if !addresses[string(key)] {
				continue
			}
			address := strings.TrimSpace(string(value))
			for at, end := range places(address) {
				if name := address[at+1 : end-1]; at > 0 && names[name] {
					within[name] = true
				}
			}
		}
	}
	return within
}
