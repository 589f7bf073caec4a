package plaintext

import (
	"strings"
	"testing"

	"frontdesk/internal/mail/placeholder"
)

// TestConverter: the text of each HTML is the one that FromHTML makes, whichever way the Converter takes. Where once
// is set, it converts the HTML only once.
func TestConverter(t *testing.T) {
	const letter = `<p>Hallo {NAME},</p><p>hier ist <a href="{LINK}">dein Konto</a>: <b>{NAME}</b>.</p>{MORE}`
	for name, c := range map[string]struct {
		html    string
		escaped bool
		values  []placeholder.Values
		once    bool
	}{
		"words": {
			html: letter, once: true,
			values: []placeholder.Values{{"NAME": "Jürgen Groß", "LINK": "https://a.example/1", "MORE": "Tschüß"}},
		},
		"markup in a value": {
			html: letter, once: true,
			values: []placeholder.Values{{"MORE": "<ul><li>eins<li>zwei</ul>"}, {"NAME": "Müller &amp; Söhne"}},
		},
		"what looks as markup, escaped": {
			html: letter, escaped: true, once: true,
			values: []placeholder.Values{{"NAME": `Müller & Söhne <GmbH> "O'Neill"`, "MORE": "1 < 2 > 0 &amp;"}},
		},
		"an empty value": {html: letter, once: true, values: []placeholder.Values{{"MORE": ""}}},
		"white space": {
			html: letter, once: true, values: []placeholder.Values{{"NAME": " Ada \n\n Lovelace "}, {"MORE": "\n"}},
		},
		"white space, escaped": {
			html: letter, escaped: true, once: true, values: []placeholder.Values{{"NAME": "Ada\nLovelace"}},
		},
		"without a value": {html: letter, once: true, values: []placeholder.Values{{}}},
		"a value of a name that stands nowhere": {
			html: letter, once: true, values: []placeholder.Values{{"OTHER": "<b>"}},
		},
		"a line as long as the heading": {html: "<h1>Hallo {NAME}</h1><p>Text</p>"},
		"an attribute that hides": {
			html: "<p {NAME}>Hallo</p><p>{MORE}</p>", values: []placeholder.Values{{"NAME": "hidden", "MORE": "x"}},
		},
		"over the bounds": {html: strings.Repeat("<div>", 600) + "{NAME}"},
	} {
		t.Run(name, func(t *testing.T) {
			known := map[string]bool{"NAME": true, "LINK": true, "MORE": true}
			template := placeholder.ParseHTML(c.html, known)
			converter := NewConverter(template, c.escaped)
			common := placeholder.Values{"MORE": "Bis bald"}
			first, last := placeholder.Values{"NAME": "Zoë"}, placeholder.Values{"NAME": "Łukasz Żak"}
			// The first HTML proves the text, those of the case follow, and the last one shows that they have not
			// spoiled it.
			for _, own := range append(append([]placeholder.Values{first}, c.values...), last) {
				inHTML := []placeholder.Values{common, own}
				if c.escaped {
					inHTML = []placeholder.Values{common.Escaped(), own.Escaped()}
				}
				html, err := template.Write(maxConverted, inHTML...)
				if err != nil {
					t.Fatal(err)
				}
				want, _ := FromHTML(html)
				if got := converter.Convert(html, common, own); got != want {
					t.Errorf("%q: %q, want %q", own, got, want)
				}
			}
			if converter.proven != c.once {
				t.Errorf("it is converted once: %t", converter.proven)
			}
		})
	}
}
