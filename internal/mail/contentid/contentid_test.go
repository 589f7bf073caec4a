package contentid

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestAnIDIsFoundWhereHTMLNamesIt: attributes, styles and conditional comments name an ID, whatever the case of
// "cid". Other text does not, and an ID is compared exactly.
func TestAnIDIsFoundWhereHTMLNamesIt(t *testing.T) {
	for text, c := range map[string]struct {
		id   string
		want bool
	}{
		`<img src="cid:a">`:                             {"a", true},
		`<IMG SRC = ' CID:a '>`:                         {"a", true},
		`<img src=cid:a%20b%25>`:                        {"a b%", true},
		`<img src="cid:a%2">`:                           {"a%2", true},
		`<img src="cid:a&amp;b">`:                       {"a&b", true},
		`<img src="cid:a'(b)">`:                         {"a'(b)", true},
		`<img srcset="x 1x, cid:a 2x">`:                 {"a", true},
		`<p style="background:url(&quot;cid:a&quot;)">`: {"a", true},
		`<style>p { background: url( "cid:a" ) }`:       {"a", true},
		`<!--[if mso]><v:fill src="cid:a"/>-->`:         {"a", true},
		`<img src="cid:A"><img src="cid:ab">`:           {"a", false},
		`<img src="cid:a`:                               {"a", false},
		`<img src="acid:a">`:                            {"a", false},
		`cid:a`:                                         {"a", false},
		`<style></style>cid:a`:                          {"a", false},
		`<textarea><img src="cid:a"></textarea>`:        {"a", false},
	} {
		if got := Named(text, []string{c.id})[c.id]; got != c.want {
			t.Errorf("%s names %q: %v", text, c.id, got)
		}
	}
}

// FuzzNamed: any ID is found in its own URL, both as it is and escaped.
func FuzzNamed(f *testing.F) {
	f.Add("logo@frontdesk")
	f.Add("a%20b'(c),d;e\\")
	f.Fuzz(func(t *testing.T, id string) {
		notOfID := func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }
		if id == "" || strings.ContainsFunc(id, notOfID) {
			return
		}
		for _, written := range []string{id, url.PathEscape(id)} {
			text := fmt.Sprintf(`<img src="cid:%s">`, html.EscapeString(written))
			if !Named(text, []string{id})[id] {
				t.Errorf("%s does not name %q", text, id)
			}
		}
	})
}
