package console_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// TestSummariesOfMails shows the names, the number of files and the problems that the list shows, with the warning of
// the mail's request.
func TestSummariesOfMails(t *testing.T) {
	const pdf = "Content-Type: application/pdf; name=bill.pdf\n\ninside"
	// The HTML can refer to this picture by its Content-ID, so it is no file of its own.
	const picture = "Content-Type: image/png\nContent-Id: <logo>\n\nx"
	for name, test := range map[string]struct {
		message  string
		people   map[string]string
		files    int
		troubles int
	}{
		"no names": {message: "From: desk@example.org\nTo: ada@example.org\n\nx"},
		"a name": {
			message: "To: Ada Lovelace <Ada@example.org>, bob@example.org\n\nx",
			people:  map[string]string{"ada@example.org": "Ada Lovelace <Ada@example.org>"},
		},
		// The comma belongs to the name. A list that is decoded before it is split would have three entries.
		"an encoded name, with a comma": {
			message: "To: =?iso-8859-1?q?Gr=FCn=2C_Eva?= <eva@example.org>\n\nx",
			people:  map[string]string{"eva@example.org": "Grün, Eva <eva@example.org>"},
		},
		"a list that cannot be read": {message: "To: Ada <ada@\n\nx"},
		"a file":                     {message: mixed("Content-Type: text/plain\n\nx", pdf), files: 1},
		"files alone are no trouble": {message: mixed(pdf, pdf), files: 2},
		"a picture of the HTML is no file": {
			message: mixed(
				"Content-Type: text/html\n\n<img alt='' src=cid:logo>", "Content-Type: text/plain\n\nx", picture),
		},
		"a picture that the HTML does not show is a file": {
			message: mixed(
				"Content-Type: text/html\n\n<img alt='' src=cid:other>", "Content-Type: text/plain\n\nx", picture),
			files: 1,
		},
		"a picture without HTML": {message: mixed("Content-Type: text/plain\n\nx", picture), files: 1},
		"a trouble":              {message: "Content-Type: text/html\n\n<p>x", troubles: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var all map[string]struct {
				People   map[string]string
				Files    int
				Troubles []string
				Warnings []string
			}
			if err := json.Unmarshal(serve(t, test.message, "/_local/summaries").Body.Bytes(), &all); err != nil {
				t.Fatal(err)
			}
			got := all["1"]
			if len(all) != 1 || !maps.Equal(got.People, test.people) || got.Files != test.files ||
				len(got.Troubles) != test.troubles || !slices.Equal(got.Warnings, []string{"the subject is empty"}) {
				t.Errorf("got %+v, want %+v, with the warning of its request", all, test)
			}
		})
	}
}
