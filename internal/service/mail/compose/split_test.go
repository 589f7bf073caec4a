package compose

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestSplit: head and tail make the message, and the base64 of one after the other is that of the whole. The tail is
// the same for all letters, whose heads differ in length, and has every file.
func TestSplit(t *testing.T) {
	file := bytes.Repeat([]byte("0123456789"), 100)
	attached := File{Name: "a.bin", ContentType: "application/octet-stream", Body: file}
	inline := File{Name: "b.png", ContentType: "image/png", CID: "b", Body: file}
	invitation := &Calendar{ContentType: "text/calendar; method=REQUEST", Body: file}
	for name, c := range map[string]struct {
		html, text bool // the message has them
		calendar   *Calendar
		files      []File
	}{
		"a text":                     {text: true},
		"HTML":                       {html: true},
		"nothing":                    {},
		"nothing but a file":         {files: []File{attached}},
		"a text and a file":          {text: true, files: []File{attached}},
		"HTML and a file":            {html: true, files: []File{attached}},
		"HTML and a picture":         {html: true, files: []File{inline}},
		"both":                       {html: true, text: true},
		"nothing but a calendar":     {calendar: invitation},
		"a text and a calendar":      {text: true, calendar: invitation},
		"HTML and a calendar":        {html: true, calendar: invitation, files: []File{inline, attached}},
		"both and a calendar":        {html: true, text: true, calendar: invitation, files: []File{inline}},
		"both, a picture and a file": {html: true, text: true, files: []File{inline, attached}},
	} {
		t.Run(name, func(t *testing.T) {
			boundary := RandomBoundary()
			var shared []byte
			for i := range 4 {
				more := strings.Repeat("ü", i)
				html, text := "<p>Grüße, Zoë"+more+"</p>", "Grüße, Zoë"+more
				m := Message{
					From: Mailbox{Address: "a@example.org"}, Date: date, Calendar: c.calendar, Files: c.files,
					Boundary: boundary,
					To:       []Mailbox{{Name: "Zoë " + more, Address: "zoe@example.org"}},
					Cc:       []Mailbox{{Name: "Max " + more, Address: "max@example.org"}}[:i%2],
					Subject:  "Für Zoë" + more,
				}
				if c.html {
					m.HTML = &html
				}
				if c.text {
					m.Text = &text
				}
				first, last := m.Split()
				head, tail := first.Bytes(), last.Bytes()
				raw := slices.Concat(head, tail)
				checkLines(t, raw)
				mustReadAlike(t, raw, m.Bytes())
				if got := base64.StdEncoding.EncodeToString(head) + base64.StdEncoding.EncodeToString(tail); got !=
					base64.StdEncoding.EncodeToString(raw) {
					t.Errorf("a head of %d bytes, a tail of %d", len(head), len(tail))
				}
				if bytes.Contains(head, []byte("MDEyMzQ1")) {
					t.Error("the head has a file")
				}
				if i == 0 {
					shared = tail
				}
				expect.Equal(t, tail, shared)
				expect.Equal(t, len(tail) > 0, c.calendar != nil || len(c.files) > 0, "there is a tail")
			}
		})
	}
}

// mustReadAlike fails the test unless a parser reads the same from both messages.
func mustReadAlike(t *testing.T, got, want []byte) {
	t.Helper()
	gotHeader, gotParts, gotBodies := leaves(t, got)
	wantHeader, wantParts, wantBodies := leaves(t, want)
	fields := func(has interface{ Get(string) string }, names ...string) (all string) {
		for _, name := range names {
			all += name + ": " + has.Get(name) + "\n"
		}
		return all
	}
	outer := []string{"From", "To", "Subject", "Date", "MIME-Version"}
	if got, want := fields(&gotHeader, outer...), fields(&wantHeader, outer...); got != want {
		t.Errorf("header\n%s\nwant\n%s", got, want)
	}
	if len(gotParts) != len(wantParts) || !slices.Equal(gotBodies, wantBodies) {
		t.Fatalf("parts %.200q, want %.200q", gotBodies, wantBodies)
	}
	for i := range gotParts {
		inner := []string{"Content-Type", "Content-Disposition", "Content-ID", "Content-Transfer-Encoding"}
		got, want := fields(&gotParts[i].Header, inner...), fields(&wantParts[i].Header, inner...)
		if got != want {
			t.Errorf("part %d\n%s\nwant\n%s", i, got, want)
		}
	}
}
