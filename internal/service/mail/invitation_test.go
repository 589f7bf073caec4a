package mail_test

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

const (
	// The calendar comes twice: as an alternative for readers with buttons, and as a file for those without.
	withHTML = "multipart/mixed(multipart/alternative(text/plain text/html text/calendar) text/calendar)"
	textOnly = "multipart/mixed(multipart/alternative(text/plain text/calendar) text/calendar)"
)

// calendar is a calendar with a method, "" for none. It has words beyond ASCII, so that charset and encoding matter.
func calendar(method string) string {
	if method != "" {
		method = "METHOD:" + method + "\r\n"
	}
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + method +
		"BEGIN:VEVENT\r\nSUMMARY:Grüße aus Zürich\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
}

// inUTF16 returns a text in UTF-16 with the low byte first.
func inUTF16(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// TestAnInvitationIsAnAlternative: a calendar with a method is an alternative to the texts, without a disposition. It
// is a file as well, without the method. A warning names what a reader may not understand. Mail readers show their
// buttons for the alternative alone.
func TestAnInvitationIsAnAlternative(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const request = "text/calendar; method=REQUEST"
		ics := func(body string, more object) array {
			return content(body, fixture.With(object{"filename": "invite.ics", "type": request}, more))
		}
		for name, c := range map[string]struct {
			mail     object
			shape    string
			charset  string // of the invitation, "" for utf-8
			body     string // of both, "" for that which was given
			method   string // likewise, "" for REQUEST
			filename string // of the file, "" for invite.ics
			warnings []string
		}{
			"beside HTML and text": {
				mail: object{"html": "<p>Come", "attachments": ics(calendar("REQUEST"), nil)}, shape: withHTML,
			},
			"beside HTML and the text made from it": {
				mail:  object{"html": "<p>Come", "text": nil, "attachments": ics(calendar("REQUEST"), nil)},
				shape: withHTML,
			},
			"beside HTML alone": {
				mail: object{
					"html": "<p>Come", "text": nil, "config": array{"noconversion"},
					"attachments": ics(calendar("REQUEST"), nil),
				},
				shape: "multipart/mixed(multipart/alternative(text/html text/calendar) text/calendar)",
			},
			"beside a text alone": {mail: object{"attachments": ics(calendar("REQUEST"), nil)}, shape: textOnly},
			// allowempty sends an empty plain text, beside which the alternative stands.
			"beside nothing": {
				mail: object{
					"text": nil, "config": array{"allowempty"}, "attachments": ics(calendar("REQUEST"), nil),
				},
				shape: textOnly,
			},
			"beside a picture that the HTML shows": {
				mail: object{
					"html": `<img src="cid:logo">`,
					"attachments": slices.Concat(
						attachment(s.files.URL+"/logo.png", object{"cid": "logo"}), ics(calendar("REQUEST"), nil),
					),
				},
				shape: "multipart/mixed(multipart/alternative(text/plain multipart/related(text/html image/png) " +
					"text/calendar) text/calendar)",
			},
			"from a server": {
				mail:  object{"html": "<p>Come", "attachments": attachment(s.files.URL+"/invite.ics", nil)},
				shape: withHTML,
			},
			// A text that is no calendar is sent as its sender wants, with a warning.
			"a type for what a server has": {
				mail: object{
					"attachments": attachment(
						s.files.URL+"/hello.txt", object{"type": request, "filename": "invite.ics"},
					),
				},
				shape: textOnly,
				warnings: []string{`attachments[0].type has the method "REQUEST", and its file has none: ` +
					"mail readers want the same in both"},
			},
			"in another charset": {
				mail: object{"attachments": ics("BEGIN:VCALENDAR\nMETHOD:REQUEST\nX-A:gr\xfc\xdf\n", object{
					"type": `Text/Calendar; Charset="ISO-8859-1"; METHOD=REQUEST`,
				})},
				shape: textOnly, body: "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nX-A:grüß\r\n",
			},
			// RFC 5545 section 3.1 wants CRLF, and knows no byte order mark: some readers take either for damage.
			"lines that end in LF, and a byte order mark": {
				mail:  object{"attachments": ics("\uFEFF"+strings.ReplaceAll(calendar("REQUEST"), "\r\n", "\n"), nil)},
				shape: textOnly, body: calendar("REQUEST"),
			},
			"in UTF-16": {
				mail:  object{"attachments": ics("\xff\xfe"+inUTF16(calendar("REQUEST")), nil)},
				shape: textOnly, body: calendar("REQUEST"),
			},
			"in no charset that it names": {
				mail:  object{"attachments": ics("BEGIN:VCALENDAR\nMETHOD:REQUEST\nX-A:gr\xfc\xdf\n", nil)},
				shape: textOnly, body: "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nX-A:grüß\r\n",
				warnings: []string{
					"attachments[0] is not in UTF-8: it was read as windows-1252; name its charset in its type",
				},
			},
			"in another charset than it says": {
				mail: object{"attachments": ics("METHOD:REQUEST\nX-A:\x80", object{
					"type": "text/calendar; charset=utf-8; method=REQUEST",
				})},
				shape: textOnly, body: "METHOD:REQUEST\r\nX-A:€\r\n",
				warnings: []string{
					"attachments[0] is not in UTF-8: it was read as windows-1252; name its charset in its type",
				},
			},
			// iCalendar ignores case, and folds lines anywhere, also inside a name (RFC 5545 section 3.1).
			"a method in other letters, in a folded line": {
				mail: object{
					"attachments": ics(strings.ReplaceAll(calendar("Request"), "METHOD", "Met\r\n hod"), nil),
				},
				shape: textOnly,
			},
			"an answer, by its own name": {
				mail: object{"attachments": ics(calendar("REPLY"), object{
					"type": "text/calendar; method=reply", "filename": "it's.ics",
				})},
				shape: textOnly, method: "reply", filename: "it's.ics",
			},
			// RFC 6047 section 2.4 demands the same method in both. Some readers go by one, some by the other.
			"a method that is not the file's": {
				mail:  object{"attachments": ics(calendar("CANCEL"), nil)},
				shape: textOnly,
				warnings: []string{`attachments[0].type has the method "REQUEST", and its file has "CANCEL": ` +
					"mail readers want the same in both"},
			},
			// The first file is left out, so the second one is the invitation: the third has to see that.
			"a second one, which stays a file": {
				mail: object{
					"html": "<p>Come", "config": array{"ignoredlfails"},
					"attachments": slices.Concat(
						attachment(s.files.URL+"/status/404", object{"type": request}),
						ics(calendar("REQUEST"), nil), ics(calendar("REQUEST"), nil),
					),
				},
				shape: strings.TrimSuffix(withHTML, ")") + " text/calendar)",
				warnings: []string{
					"attachments[0] is left out: its url could not be downloaded: the server answered 404 Not Found",
					"attachments[2] stays a file: a mail has one invitation, which is attachments[1]",
				},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, reply := s.mustSend(t, s.mail(c.mail))
				expect.Equal(t, m.shape, c.shape, "the parts")
				other := func(l leaf) bool { return l.contentType != "text/calendar" }
				calendars := slices.DeleteFunc(slices.Clone(m.leaves), other)
				alternative, file := calendars[0], calendars[1]
				expect.Equal(t, alternative.disposition, "", "the alternative's disposition")
				expect.Equal(t, alternative.params, "method="+cmp.Or(c.method, "REQUEST"), "the alternative's method")
				expect.Equal(t, alternative.charset, cmp.Or(c.charset, "utf-8"), "the alternative's charset")
				expect.Equal(t, file.disposition, "attachment", "the file's disposition")
				expect.Equal(t, file.filename, cmp.Or(c.filename, "invite.ics"), "the file's name")
				expect.Equal(t, file.params, "", "the file's parameters")
				expect.Equal(t, file.charset, alternative.charset, "the file's charset")
				expect.Equal(t, file.body, alternative.body, "the file")
				if c.body != "" {
					expect.Equal(t, alternative.body, c.body, "the alternative")
				}
				expect.Equal(t, reply.Warning, c.warnings, "the warnings")
			})
		}
		// Without a method in the type a calendar is a file. Most people send an invitation so, and nobody could answer
		// it.
		for name, c := range map[string]struct {
			attachments array
			want        string // the type of the warning; "" for none
		}{
			"a calendar without a method":        {content(calendar(""), object{"filename": "a.ics"}), ""},
			"a calendar to publish":              {content(calendar("PUBLISH"), object{"filename": "a.ics"}), ""},
			"a file that is no calendar":         {content(calendar("REQUEST"), object{"filename": "a.txt"}), ""},
			"a method that is in the file alone": {content(calendar("REQUEST"), object{"filename": "a.ics"}), request},
			"a method in small letters": {
				content(calendar("cancel"), object{"filename": "A.ICS"}), "text/calendar; method=CANCEL",
			},
			"a type without a name": {
				content(calendar("COUNTER"), object{"type": "text/calendar"}), "text/calendar; method=COUNTER",
			},
			"a type with another parameter": {
				ics(calendar("REPLY"), object{"type": "text/calendar; x=y"}), "text/calendar; method=REPLY; x=y",
			},
			"another type with a method": {
				ics(calendar("REPLY"), object{"type": "text/plain; method=REPLY"}), "text/calendar; method=REPLY",
			},
			"a type for a server's, without method": {
				attachment(s.files.URL+"/invite.ics", object{"type": "text/calendar"}), request,
			},
		} {
			localtest.Case(t, "a file is "+name, func(t testing.TB) {
				m, reply := s.mustSend(t, s.mail(object{"attachments": c.attachments}))
				expect.Equal(t, len(m.leaves), 2, "the number of parts")
				expect.Equal(t, m.leaves[1].disposition, "attachment", "the file's disposition")
				var want []string
				if c.want != "" {
					const warning = "attachments[0] is an invitation, and leaves as a file without buttons to answer: "
					want = append(want, warning+`give it the type "`+c.want+`"`)
				}
				expect.Equal(t, reply.Warning, want, "the warnings")
			})
		}
		localtest.Case(t, "a file is an invitation beside another one", func(t testing.TB) {
			_, reply := s.mustSend(t, s.mail(object{"attachments": slices.Concat(
				content(calendar("REQUEST"), object{"filename": "a.ics"}), ics(calendar("REQUEST"), nil),
			)}))
			expect.Equal(t, reply.Warning, nil, "the warnings")
		})
	})
}

// TestACalendarThatIsTooLarge: it stays the file that it was, and a warning says so.
func TestACalendarThatIsTooLarge(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		large := s.files.repeated(4_200_000, "text/calendar; method=REQUEST", "X-A:b\n")
		m, reply := s.mustSend(t, s.mail(object{"attachments": attachment(large, object{"filename": "invite.ics"})}))
		expect.Equal(t, m.shape, "multipart/mixed(text/plain text/calendar)", "the parts")
		expect.Equal(t, m.leaves[1].disposition, "attachment", "the file's disposition")
		expect.HasPrefix(t, m.leaves[1].body, "X-A:b\nX-A:b\n", "the file")
		expect.Equal(t, reply.Warning, []string{
			"attachments[0] stays a file: an invitation has at most 4194304 bytes",
		}, "the warnings")
	})
}

// TestAnInvitationThatCannotBeDecoded: it is sent as it is, twice, and a warning says so.
func TestAnInvitationThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct{ charset, body, want string }{
			"a charset that is not known": {
				"klingon", "METHOD:REQUEST\nX-A:\x80",
				`attachments[0] is sent as it is: its charset "klingon" is not known`,
			},
			"bytes that its charset does not know": {
				"shift_jis", "METHOD:REQUEST\nX-A:\x81\xff",
				`attachments[0] is sent as it is: it is not valid "shift_jis"`,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.mail(object{"attachments": content(c.body, object{
					"type": "text/calendar; method=REQUEST; charset=" + c.charset,
				})}))
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, r.Warning, []string{c.want}, "the warnings")
				raw, _ := s.Outbox().Raw(r.ID)
				inBase64 := base64.StdEncoding.EncodeToString([]byte(c.body))
				expect.Equal(t, strings.Count(string(raw), inBase64), 2, "it is there")
				expect.Equal(t, strings.Count(string(raw), "charset="+c.charset), 2, "with its charset")
			})
		}
	})
}

// TestSeparateMailsHaveTheInvitation: each separate message has it in both places, whichever texts differ.
func TestSeparateMailsHaveTheInvitation(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, change := range map[string]object{
			"HTML that differs":    nil,
			"a text that differs":  {"html": "<p>Come", "text": "Hello {NAME}"},
			"nothing that differs": {"html": "<p>Come", "subject": "x"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.separate(readers("to", 3), fixture.With(object{
					"attachments": attachment(s.files.URL+"/invite.ics", nil),
				}, change)))
				r.Is(t, http.StatusOK, object{"status": "success"})
				for _, id := range r.IDs {
					m := s.captured(t, id)
					expect.Equal(t, m.shape, withHTML, "the parts")
					for _, l := range m.leaves[2:] {
						expect.Equal(t, l.body, calendar("REQUEST"), "a calendar")
					}
				}
			})
		}
	})
}
