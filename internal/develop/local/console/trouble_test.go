package console_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestTroublesOfReaders shows each problem at its limit: just right, and just wrong. The rules are those of RFC 2369
// and RFC 8058 for List-Unsubscribe, of HTML for alt, and of Gmail for the size.
func TestTroublesOfReaders(t *testing.T) {
	const text = "Subject: x\n\nhello"
	page := func(html string) string {
		return mixed("Content-Type: text/plain\n\nhello", "Content-Type: text/html\n\n"+html)
	}
	list := func(value string) string { return "List-Unsubscribe: " + value + "\n" + text }
	const (
		noText    = "It has no text: readers that show no HTML show nothing of it."
		malformed = "List-Unsubscribe is malformed: "
		commas    = malformed + "each address stands in <>, and a comma between them."
	)
	for name, test := range map[string]struct {
		message string
		want    []string
	}{
		"none":                     {message: text},
		"HTML without text":        {"Content-Type: text/html\n\n<p>hello", []string{noText}},
		"an invitation is no text": {message: "Content-Type: text/calendar; method=REQUEST\n\nx"},
		"text of spaces":           {"Subject: x\n\n \n", []string{noText}},
		"a file alone":             {message: "Content-Type: text/plain; name=a.txt\n\nhello"},
		"a file is no text": {mixed("Content-Type: text/html\n\n<p>x", "Content-Type: text/plain; name=a.txt\n\nhello"),
			[]string{noText}},
		// The two bytes that are missing are the line end.
		"102 KB of HTML": {message: page(strings.Repeat("x", 102<<10-2) + "\n")},
		"over 102 KB of HTML": {page(strings.Repeat("x", 102<<10+1)),
			[]string{"Gmail cuts the HTML off: it has 103 KB, and Gmail shows 102."}},
		"megabytes of HTML": {page(strings.Repeat("x", 2<<20)),
			[]string{"Gmail cuts the HTML off: it has 2048 KB, and Gmail shows 102."}},
		"a picture without alt": {page("<img src=x>"),
			[]string{"One picture has no alt: who cannot see it does not learn what it is."}},
		"two without alt": {page("<img src=x><img src=y /><img alt=z>"),
			[]string{"2 pictures have no alt: who cannot see them does not learn what they are."}},
		"an empty alt":           {message: page(`<img src=x alt="">`)},
		"alt in capitals":        {message: page(`<IMG SRC=x ALT=y>`)},
		"a picture in a comment": {message: page(`<!-- <img src=x> -->`)},
		"addresses to leave by":  {message: list("<https://example.org/u>,\n <mailto:u@example.org?subject=leave>")},
		"one without <>":         {list("https://example.org/u"), []string{commas}},
		"no comma":               {list("<https://example.org/u> <mailto:u@example.org>"), []string{commas}},
		"a comma at the end":     {list("<https://example.org/u>,"), []string{commas}},
		"one that never ends":    {list("<https://example.org/u"), []string{commas}},
		"no URL":                 {list("<u@example.org>"), []string{malformed + `"u@example.org" is no URL.`}},
		"mailto to nobody": {list("<mailto:?subject=x>"),
			[]string{malformed + `"mailto:?subject=x" names no mailbox.`}},
		"one click": {message: "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" +
			list("<https://example.org/u>")},
		"one click without https": {
			"List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" + list("<mailto:u@example.org>"),
			[]string{malformed + "one click needs an https address."}},
		"another post": {"List-Unsubscribe-Post: yes\n" + list("<https://example.org/u>"),
			[]string{malformed + "List-Unsubscribe-Post is to be List-Unsubscribe=One-Click."}},
		"a post alone": {"List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" + text,
			[]string{malformed + "List-Unsubscribe-Post stands without it."}},
	} {
		t.Run(name, func(t *testing.T) {
			w := serve(t, test.message, "/_local/outbox/1/message")
			var got struct{ Troubles []string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Troubles == nil {
				t.Fatalf("got %s: %v", w.Body, err)
			}
			if !slices.Equal(got.Troubles, test.want) {
				t.Errorf("got %q, want %q", got.Troubles, test.want)
			}
		})
	}
}
