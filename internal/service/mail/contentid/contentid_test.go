package contentid

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

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
		if named, _ := Find(text, []string{c.id}); named[c.id] != c.want {
			t.Errorf("%s names %q: %v", text, c.id, named[c.id])
		}
	}
	for _, word := range "azAZ09_" { // another scheme, which ends like ours
		if named, _ := Find(`<p style="background:url(`+string(word)+`cid:a)">`, []string{"a"}); named["a"] {
			t.Errorf("a style with %ccid:a names an ID", word)
		}
	}
}

// TestWhatNoFileHas: an ID that an attribute or a style names, and that no file has, is found once, in the order of the
// HTML. Words, comments and what a placeholder has left are no such IDs.
func TestWhatNoFileHas(t *testing.T) {
	for text, want := range map[string][]string{
		`<img src="cid:b"><img src=CID:c><img src=cid:b>`:                    {"b", "c"},
		`<img src="cid:a"><img src="cid:%61">`:                               nil,
		`<img src="cid:A">`:                                                  {"A"},
		`<img srcset="cid:a 1x, cid:b 2x">`:                                  {"b"},
		`<p style="background:url('cid:b')">`:                                {"b"},
		`<style>p { background: url(cid:b), url("cid:a") }</style>`:          {"b"},
		`<a href="cid:b c">`:                                                 {"b c"},
		`<img src="cid:{LOGO}"><img src="cid:">`:                             nil,
		`<img alt="cid:b" title="see cid:b" src=x>cid:b<!--x src="cid:b"-->`: nil,
	} {
		_, unknown := Find(text, []string{"a"})
		expect.Equal(t, unknown, want, text)
	}
}

// TestAMailWithoutIDs: what its HTML shows is listed, too.
func TestAMailWithoutIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`<p>a: b</p><img src="Cid:c">`:    {"c"},
		`<p title=":cid:d">acid:e</p>id:`: nil,
		`<p>:</p>`:                        nil,
	} {
		_, unknown := Find(text, nil)
		expect.Equal(t, unknown, want, text)
	}
}

// TestHTMLThatShowsNoFileIsNotTakenApart: most mails do not, and to read the HTML takes longer than to find that out.
func TestHTMLThatShowsNoFileIsNotTakenApart(t *testing.T) {
	text := strings.Repeat(`<p style="color: red" title=acid>a: b</p>`, 1_000)
	allocations := testing.AllocsPerRun(10, func() { Find(text, nil) })
	expect.AtMost(t, allocations, 2)
}

// FuzzFind: any ID is found in its own URL, both as it is and escaped.
func FuzzFind(f *testing.F) {
	f.Add("logo@frontdesk")
	f.Add("a%20b'(c),d;e\\")
	f.Fuzz(func(t *testing.T, id string) {
		notOfID := func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }
		if id == "" || strings.ContainsFunc(id, notOfID) {
			return
		}
		for _, written := range []string{id, url.PathEscape(id)} {
			text := fmt.Sprintf(`<img src="cid:%s">`, html.EscapeString(written))
			named, unknown := Find(text, []string{id})
			if !named[id] || unknown != nil {
				t.Errorf("%s does not name %q, but %q", text, id, unknown)
			}
		}
	})
}
