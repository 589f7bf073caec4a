package compose

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSeries: each message of a series reads like the same message written alone, and the base64 of head and tail,
// one after the other, is that of the whole. The heads of the four letters differ in length.
func TestSeries(t *testing.T) {
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
		for _, differs := range []struct{ html, text bool }{{}, {html: true}, {text: true}, {true, true}} {
			t.Run(fmt.Sprintf("%s, HTML differs %t, text %t", name, differs.html, differs.text), func(t *testing.T) {
				const sharedHTML, sharedText = "<p>Grüße an alle</p>", "Grüße an alle"
				// plain returns the message of the case with the texts that all letters share.
				plain := func() *Message {
					m := &Message{From: Mailbox{Address: "a@example.org"}, Date: date}
					m.Calendar, m.Files = c.calendar, slices.Clone(c.files)
					if c.html {
						m.HTML = new(string)
						*m.HTML = sharedHTML
					}
					if c.text {
						m.Text = new(string)
						*m.Text = sharedText
					}
					return m
				}
				m := plain()
				series, tail := NewSeries(m, differs.html, differs.text)
				if m.Files != nil || m.Calendar != nil {
					t.Error("the message still has its calendar and files")
				}
				for i := range 4 {
					more := strings.Repeat("ü", i)
					l := Letter{
						To:      []Mailbox{{Name: "Zoë " + more, Address: "zoe@example.org"}},
						Cc:      []Mailbox{{Name: "Max " + more, Address: "max@example.org"}}[:i%2],
						Subject: "Für Zoë" + more,
						HTML:    "<p>Grüße, Zoë" + more + "</p>", Text: "Grüße, Zoë" + more,
					}
					want := plain()
					want.To, want.Cc, want.Subject = l.To, l.Cc, l.Subject
					if c.html && differs.html {
						want.HTML = &l.HTML
					}
					if c.text && differs.text {
						want.Text = &l.Text
					}
					head, tail := series.Head(l).Bytes(), tail.Bytes()
					raw := slices.Concat(head, tail)
					checkLines(t, raw)
					mustReadAlike(t, raw, want.Bytes())
					if got := base64.StdEncoding.EncodeToString(head) + base64.StdEncoding.EncodeToString(tail); got !=
						base64.StdEncoding.EncodeToString(raw) {
						t.Errorf("a head of %d bytes, a tail of %d", len(head), len(tail))
					}
					if bytes.Contains(head, []byte("MDEyMzQ1")) {
						t.Error("the head has a file")
					}
				}
			})
		}
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
