package console

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // not every system has the time zones

	"frontdesk/internal/develop/local/httpserver"

	"golang.org/x/net/html"
)

// serveSearch answers with the ids of all mails, newest first, that satisfy ?text=, in any case: words and phrases in
// their content, and operators (see [parseQuery]). Days and times in it are those of ?zone=, a name of the IANA's time
// zones; the default is UTC.
func (s screen) serveSearch(w http.ResponseWriter, r *http.Request) {
	zone, err := time.LoadLocation(r.URL.Query().Get("zone"))
	var terms []term
	if err == nil {
		terms, err = parseQuery(r.URL.Query().Get("text"), zone)
	}
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		httpserver.WriteJSON(w, map[string]string{"message": err.Error()}) // encoded, because it quotes the search
		return
	}
	found := []string{} // never null in JSON
	warnings := s.warnings()
	for _, m := range s.mails() {
		// A mail that was deleted after the list was read is left out.
		raw, ok := s.raw(m.ID)
		one := searchable{
			Mail: m, warnings: warnings[m.RequestID],
			digest: func() digest { return s.digests.digest(m.ID, raw) },
			text:   sync.OnceValue(func() string { return searched(raw) }),
		}
		// All terms have to match. A client that has gone ends the search.
		lacks := func(t term) bool { return one.has(t) == t.not }
		if ok && r.Context().Err() == nil && !slices.ContainsFunc(terms, lacks) {
			found = append(found, m.ID)
		}
	}
	httpserver.WriteJSON(w, found)
}

// searched returns the content of a message in lower case: its headers, the names of its files, and its bodies, at most
// maxText bytes of each.
func searched(raw []byte) string {
	var text strings.Builder
	header, _ := walk(raw, func(p part) error { // as far as the message can be read
		// A search for a file's name finds the mail; the content of files is not searched.
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

// writeTextOf writes the text that a reader sees of HTML.
func writeTextOf(w *strings.Builder, source string) {
	tokens := html.NewTokenizer(strings.NewReader(source))
	// A single token, such as a picture in an attribute, must not take more memory than the text may have.
	tokens.SetMaxBuf(maxText)
	// hidden is the element whose text no reader sees, while the tokenizer is inside it.
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
