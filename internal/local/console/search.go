package console

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/local/httpbody"

	"golang.org/x/net/html"
)

// serveSearch answers with the ids of the mails, newest first, that have all the words of ?text= in their headers or
// their bodies, in any case.
func (s screen) serveSearch(w http.ResponseWriter, r *http.Request) {
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("text")))
	found := []string{} // in JSON, never null
	for _, id := range s.ids() {
		if raw, ok := s.raw(id); ok && r.Context().Err() == nil && hasAll(searched(raw), words) {
			found = append(found, id)
		}
	}
	httpbody.WriteJSON(w, found)
}

func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// searched is what a message says, in lower case: its headers, the names of its files, and its bodies, of each at most
// maxText bytes.
func searched(raw []byte) string {
	var text strings.Builder
	header, _ := walk(raw, func(p part) error { // as far as it can be read
		isHTML := p.isBody("text/html")
		if !isHTML && !p.isBody("text/plain") {
			fmt.Fprintln(&text, p.name)
			return nil
		}
		body, _ := io.ReadAll(io.LimitReader(p.body, maxText))
		if content := toUTF8(body, p.contentType); isHTML {
			writeTextOf(&text, content)
		} else {
			fmt.Fprintln(&text, content)
		}
		return nil
	})
	for fields := header.Fields(); fields.Next(); {
		fmt.Fprintln(&text, decodeWords(fields.Value()))
	}
	return strings.ToLower(text.String())
}

// writeTextOf writes what a reader sees of HTML.
func writeTextOf(w *strings.Builder, source string) {
	tokens := html.NewTokenizer(strings.NewReader(source))
	tokens.SetMaxBuf(maxText)
	hidden := ""
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		name, _ := tokens.TagName()
		switch {
		case kind == html.StartTagToken && (string(name) == "style" || string(name) == "script"):
			hidden = string(name)
		case kind == html.EndTagToken && string(name) == hidden:
			hidden = ""
		case kind == html.TextToken && hidden == "":
			fmt.Fprint(w, html.UnescapeString(string(tokens.Text())))
		}
	}
	w.WriteString("\n")
}
