package mail_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// values is a mail's list of placeholders, from names and values in turn.
func values(namesAndValues ...string) array {
	var list array
	for pair := range slices.Chunk(namesAndValues, 2) {
		list = append(list, object{"name": pair[0], "value": pair[1]})
	}
	return list
}

// TestPlaceholders shows what is replaced, and what the answer warns of. Subject, html and text are those of the
// message; "" is not checked.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		both := array{"subjectplaceholders", "escapeplaceholders"}
		many := ""
		for i := range 1100 {
			many += fmt.Sprintf("{N%d}", i)
		}
		for name, c := range map[string]struct {
			mail                object
			subject, html, text string
			warnings            []string
		}{
			"nothing to replace": {
				mail:    object{"subject": "a", "text": "b { c } {d} {}", "html": "<style>p{color:red}</style>"},
				subject: "a",
			},
			"one that is left in the text": {
				mail: object{"text": "Dear {NAME}"}, text: "Dear {NAME}",
				warnings: []string{"text still has placeholders that were not given: {NAME}"},
			},
			"several, each once, in their order, field by field": {
				mail: object{
					"subject": "{S}", "html": "{B} {A_1} {B} {2}", "text": "{B}", "config": both,
				},
				warnings: []string{
					"subject still has placeholders that were not given: {S}",
					"html still has placeholders that were not given: {B}, {A_1}, {2}",
					"text still has placeholders that were not given: {B}",
				},
			},
			"a link with a space, in a text made from HTML": {
				mail: object{
					"html": `<a href="{LINK}">Search</a>`, "text": nil,
					"placeholders": array{object{"name": "LINK", "value": "https://example.com/?q=a b"}},
				},
				html: `<a href="https://example.com/?q=a b">Search</a>`,
				text: "Search ( https://example.com/?q=a%20b )",
			},
			// The sender wrote one {NAME}, so one warning is about it.
			"a text made from HTML: the HTML alone": {
				mail:     object{"html": "<p>Dear {NAME}</p>", "text": nil},
				text:     "Dear {NAME}",
				warnings: []string{"html still has placeholders that were not given: {NAME}"},
			},
			"a file behind a URL": {
				mail:     object{"htmlurl": s.files.URL + "/greeting.html"},
				warnings: []string{"html still has placeholders that were not given: {NAME}"},
			},
			"in attributes": {
				mail:     object{"html": `<a href="https://example.com/{PATH}">x</a><p style="color:{COLOR}">`},
				warnings: []string{"html still has placeholders that were not given: {PATH}, {COLOR}"},
			},
			// A conditional comment is a comment for all others.
			"in what Outlook alone shows": {
				mail:     object{"html": "<!--[if mso]><p>{NAME}</p><![endif]-->x"},
				warnings: []string{"html still has placeholders that were not given: {NAME}"},
			},
			"in a title, and behind styles": {
				mail:     object{"html": "<title>{A}</title><style>{X}</style>{B}<script>{Y}</script>{C}"},
				warnings: []string{"html still has placeholders that were not given: {A}, {B}, {C}"},
			},
			// CSS and JavaScript are full of braces.
			"not in styles, scripts and comments": {
				mail: object{
					"html": "<style>p{COLOR}</style><STYLE/>{A}</STYLE><script>if(a){B}</script><!-- {C} -->x",
				},
			},
			"not in lower case, nor with other characters": {
				mail: object{"text": "{name} {Name} {FIRST NAME} {FIRST-NAME} {É} { NAME } {} {NAME"},
			},
			// Handlebars and template literals: the sender has mixed up two languages.
			"in braces of another language": {
				mail:     object{"text": "{{NAME}} ${PRICE}"},
				warnings: []string{"text still has placeholders that were not given: {NAME}, {PRICE}"},
			},
			// What was inserted is not searched again, so that no value becomes a placeholder.
			"not what a value brings": {
				mail: object{"text": "{A}", "placeholders": values("a", "{B} {A}")}, text: "{B} {A}",
			},
			"not what a value completes": {
				mail: object{"text": "{{A}", "placeholders": values("a", "B}")}, text: "{B}",
			},
			"ones in two pairs of braces": {
				mail: object{
					"subject": "{{A}}", "html": "<style>{{A}}</style>{{B}}{{A}}", "text": "{{A}} {B}",
					"placeholders": values("a", "x", "b", "y"), "config": both,
				},
				subject: "{x}", html: "<style>{x}</style>{y}{x}", text: "{x} y",
				warnings: []string{
					"subject has placeholders in two pairs of braces, of which the outer one stays: {{A}}",
					"html has placeholders in two pairs of braces, of which the outer one stays: {{A}}, {{B}}",
					"text has placeholders in two pairs of braces, of which the outer one stays: {{A}}",
				},
			},
			"one in two pairs of braces that was not given": {
				mail: object{"text": "{{A}}"}, text: "{{A}}",
				warnings: []string{"text still has placeholders that were not given: {A}"},
			},
			// 25 names, each twice.
			"more than an answer lists": {
				mail: object{"text": strings.Repeat(many[:len("{N0}")*10+len("{N10}")*15], 2)},
				warnings: []string{
					"text still has placeholders that were not given: {N0}, {N1}, {N2}, {N3}, {N4}, {N5}, {N6}, " +
						"{N7}, {N8}, {N9}, {N10}, {N11}, {N12}, {N13}, {N14}, {N15}, {N16}, {N17}, {N18}, {N19} " +
						"and 5 more",
				},
			},
			"a name of 1,000 letters": {
				mail: object{"text": "{" + strings.Repeat("N", 1000) + "}"},
				warnings: []string{
					"text still has placeholders that were not given: {" + strings.Repeat("N", 100) + "…}",
				},
			},
			"one that stands nowhere": {
				mail:     object{"text": "{NAME}", "placeholders": values("name", "Ada", "city", "London")},
				text:     "Ada",
				warnings: []string{"placeholders stand nowhere in html or text (in upper case): {CITY}"},
			},
			// Names of placeholders are put in upper case, and those in the content are not.
			"one that stands there in lower case": {
				mail: object{"text": "{name}", "placeholders": values("name", "Ada")}, text: "{name}",
				warnings: []string{"placeholders stand nowhere in html or text (in upper case): {NAME}"},
			},
			"one that stands in the text, not in the HTML": {
				mail: object{"html": "x", "text": "{NAME}", "placeholders": values("name", "Ada")}, text: "Ada",
			},
			"one that stands in a style, a comment and an attribute": {
				mail: object{
					"html":         "<style>p{color:{COLOR}}</style><!-- {WHO} --><a href='{URL}'>x</a>",
					"placeholders": values("color", "red", "who", "me", "url", "https://example.com"),
				},
				html: "<style>p{color:red}</style><!-- me --><a href='https://example.com'>x</a>",
			},
			"one that stands in another's value": {
				mail: object{"text": "{A}", "placeholders": values("a", "{B}", "b", "c")}, text: "{B}",
				warnings: []string{"placeholders stand nowhere in html or text (in upper case): {B}"},
			},
			// The file was not fetched, so its placeholder does not count.
			"one that stands in a source that lost": {
				mail: object{
					"text": "x", "texturl": s.files.URL + "/hello.txt", "html": "y",
					"htmlurl": s.files.URL + "/greeting.html", "placeholders": values("name", "Ada"),
				},
				warnings: []string{"placeholders stand nowhere in html or text (in upper case): {NAME}"},
			},
			"the subject has none without the switch": {
				mail:    object{"subject": "{X}", "text": "{X}", "placeholders": values("x", "y")},
				subject: "{X}", text: "y",
				warnings: []string{"subject has placeholders, which subjectplaceholders in config would replace: {X}"},
			},
			"nor is one used that stands in it": {
				mail: object{"subject": "{X}", "placeholders": values("x", "y")},
				warnings: []string{
					"subject has placeholders, which subjectplaceholders in config would replace: {X}",
					"placeholders stand nowhere in html or text (in upper case): {X}",
				},
			},
			// A TAB in a value is a space in a header field, and {Z} of the value stays.
			"with subjectplaceholders it has them": {
				mail: object{
					"subject": "{X}: {Y}", "placeholders": values("x", "Grüße\taus {Z}"),
					"config": array{"subjectplaceholders"},
				},
				subject:  "Grüße aus {Z}: {Y}",
				warnings: []string{"subject still has placeholders that were not given: {Y}"},
			},
			"with subjectplaceholders one stands nowhere": {
				mail:     object{"subject": "a", "placeholders": values("x", ""), "config": both},
				subject:  "a",
				warnings: []string{"placeholders stand nowhere in html, text or subject (in upper case): {X}"},
			},
			// The document says nothing of escapes, so a value may hold tags.
			"values as they are": {
				mail: object{"text": "{X}", "html": "<p>{X}</p>", "placeholders": values("x", "<b>R&D</b>")},
				html: "<p><b>R&D</b></p>", text: "<b>R&D</b>",
			},
			"values that are escaped in the HTML alone": {
				mail: object{
					"subject": "{X}", "text": "{X}", "html": `<p title="{X}">{X}</p>`, "config": both,
					"placeholders": values("x", `<b>R&D's "x"</b>`),
				},
				subject: `<b>R&D's "x"</b>`, text: `<b>R&D's "x"</b>`,
				html: `<p title="&lt;b&gt;R&amp;D&#39;s &#34;x&#34;&lt;/b&gt;">` +
					`&lt;b&gt;R&amp;D&#39;s &#34;x&#34;&lt;/b&gt;</p>`,
			},
			// The text shows what a browser would: the escapes are read back, once.
			"values that are escaped, in the text made from the HTML": {
				mail: object{
					"text": nil, "html": "<p>{X}</p>", "config": array{"escapeplaceholders"},
					"placeholders": values("x", `<b>R&D's "x"</b> &amp;`),
				},
				text: `<b>R&D's "x"</b> &amp;`,
			},
			"no subject": {
				mail: object{"subject": nil}, warnings: []string{"the mail has no subject"},
			},
			"a blank subject": {
				mail: object{"subject": " \t"}, warnings: []string{"the mail has no subject"},
			},
			"a subject that turns out blank": {
				mail:     object{"subject": "{X}", "placeholders": values("x", ""), "config": both},
				warnings: []string{"the mail has no subject"},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, reply := s.mustSend(t, s.mail(c.mail))
				if got, err := m.header.Subject(); c.subject != "" && got != c.subject || err != nil {
					t.Errorf("subject %q, want %q, %v", got, c.subject, err)
				}
				if got := m.text("text/html"); c.html != "" && got != c.html {
					t.Errorf("html %q, want %q", got, c.html)
				}
				if got := m.text("text/plain"); c.text != "" && got != c.text {
					t.Errorf("text %q, want %q", got, c.text)
				}
				if !slices.Equal(reply.Warning, c.warnings) {
					t.Errorf("warnings\n%q, want\n%q", reply.Warning, c.warnings)
				}
			})
		}
		// A text of 1,100 names: only the first 1,000 are kept in memory.
		localtest.Case(t, "more than are counted", func(t testing.TB) {
			_, reply := s.mustSend(t, s.mail(object{"text": many}))
			w := reply.Warning
			expect.Len(t, w, 1, "reply.Warning")
			expect.HasSuffix(t, w[0], "{N19} and at least 980 more")
		})
	})
}

// TestValuesOfSubjectsAreHeaderValues: a value with a line end would start a header field of its own, such as Bcc. The
// mail is refused before anything is fetched. In a text such a value is fine.
func TestValuesOfSubjectsAreHeaderValues(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, value := range map[string]string{
			"CRLF": "a\r\nBcc: x@example.org", "CR": "\r", "LF": "\n", "NUL": "\x00",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				bad := s.mail(object{
					"subject": "Hi {NAME}, {WHO}", "text": "{NAME}", "htmlurl": s.files.URL + "/hello.html",
					"placeholders": values("name", "Ada", "who", value), "config": array{"subjectplaceholders"},
				})
				want := `subject must not contain CR, LF or NUL, as the value of its placeholder "WHO" does`
				s.mustRefuse(t, bad, http.StatusOK, want)
			})
		}
		// A short subject can grow without bound by a long value.
		localtest.Case(t, "too long", func(t testing.TB) {
			s.mustRefuse(t, s.mail(object{
				"subject": strings.Repeat("{X}", 17), "placeholders": values("x", strings.Repeat("x", 1000)),
				"config": array{"subjectplaceholders"},
			}), http.StatusOK, "subject is over 16384 bytes once its placeholders are replaced")
		})
		localtest.Case(t, "without the switch, or in the text, it is content", func(t testing.TB) {
			lines := values("who", "a\r\nb")
			s.mustSend(t, s.mail(object{"subject": "{WHO}", "text": "{WHO}", "placeholders": lines}))
			s.mustSend(t, s.mail(object{
				"text": "{WHO}", "placeholders": lines, "config": array{"subjectplaceholders"},
			}))
		})
	})
}

// TestWarningsAreReplayed: a replayed answer has the warnings of the first one.
func TestWarningsAreReplayed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		mail := s.mail(object{"subject": nil, "text": "{NAME}", "placeholders": values("x", "")})
		first := s.sendOnce(t, "warned", mail)
		again := s.sendOnce(t, "warned", mail)
		expect.Equal(t, len(first.Warning), 3)
		expect.Equal(t, again.replayed(), "true")
		expect.Equal(t, string(again.Raw), string(first.Raw))
	})
}
