package mail_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// headers is a change of a mail that adds one header field.
func headers(name string, value any) object { return object{"headers": object{name: value}} }

// TestHeadersThatAreSent: a parser reads each value as it was given, free text and structured. No line is over the 998
// bytes of RFC 5322 section 2.1.1, and no value changes the envelope.
func TestHeadersThatAreSent(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct{ field, value string }{
			"to unsubscribe": {
				"List-Unsubscribe", "<https://example.com/leave?u=7>, <mailto:leave@example.com>",
			},
			"an answer": {"In-Reply-To", "<1@example.org>"},
			// A value is folded at its spaces: no line passes 998 bytes (RFC 5322 section 2.1.1).
			"a long conversation": {
				"References",
				strings.Repeat("<0100019a2b3c4d5e-6f708192@email.amazonses.com> ", 100) + "<1@example.org>",
			},
			"a mail by a machine":    {"Auto-Submitted", "auto-replied"},
			"a mail to many":         {"Precedence", "bulk"},
			"free text":              {"X-Anything", "at all"},
			"free text beyond ASCII": {"X-Anything", "Zürich 日本語"},
			"a name in lower case":   {"x-anything", "Zürich"},
			// A colon makes no header field as long as no line break comes before it.
			"what looks like a line":         {"X-Anything", "Bcc: x@example.org"},
			"what looks like a reserved one": {"X-From", "somebody"},
			// To is reserved, and this name begins with its letters.
			"a name that begins like one": {"Tolerance", "none"},
			// 126 bytes and ": " leave 870 of the 998 of a line.
			"the longest name and value": {strings.Repeat("N", 126), strings.Repeat("v", 870)},
			// A link to unsubscribe has no space where it could be folded.
			"a URL of 950 bytes": {
				"List-Unsubscribe", "<https://example.com/" + strings.Repeat("x", 928) + ">",
			},
			"16 KiB": {"X-Large", strings.Repeat("x", 16<<10-len("X-Large"))},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, reply := s.mustSend(t, s.mail(headers(c.field, c.value)))
				got, err := m.header.Text(c.field)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, got, c.value, "m.header.Text(c.field)")
				if reply.Warning != nil {
					t.Errorf("warnings %q", reply.Warning)
				}
				for line := range strings.SplitSeq(string(m.raw), "\r\n") {
					if len(line) > 998 {
						t.Errorf("a line of %d bytes", len(line))
					}
				}
				// Whatever a field says, SES sends to the recipients of the request alone.
				if slices.ContainsFunc(m.to, func(to string) bool { return to != "ada@example.org" }) {
					t.Errorf("envelope to %q", m.to)
				}
			})
		}
		// Objects of JSON have no order. Fields are written by name, so that the same request makes the same message.
		localtest.Case(t, "50 of them, by name", func(t testing.TB) {
			fields, want := object{}, []string{}
			for i := range 50 {
				name := fmt.Sprintf("X-%02d", i)
				fields[name], want = name, append(want, name)
			}
			m, _ := s.mustSend(t, s.mail(object{"headers": fields}))
			var got []string
			for f := m.header.Fields(); f.Next(); {
				if strings.HasPrefix(f.Key(), "X-") {
					got = append(got, f.Value())
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
		localtest.Case(t, "null and an empty string are not given", func(t testing.TB) {
			m, _ := s.mustSend(t, s.mail(object{"headers": object{"X-A": nil, "x-a": "", "X-B": "b"}}))
			expect.Equal(t, m.header.Has("X-A"), false)
			expect.Equal(t, m.header.Get("X-B"), "b")
		})
		localtest.Case(t, "null and an empty map are none", func(t testing.TB) {
			s.mustSend(t, s.mail(object{"headers": object{}}))
			m := s.mail(nil)
			m["headers"] = nil
			s.mustSend(t, m)
		})
	})
}

// TestValuesAsTwoParsersReadThem: a TAB becomes a space, a long word is one line, and a name is one encoded-word:
// readers drop the space between two (RFC 2047 section 6.2).
func TestValuesAsTwoParsersReadThem(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const name = "Jürgen\tGroßmann-Łukasiewicz z Łodzi"
		url := "<https://example.com/" + strings.Repeat("x", 928) + ">"
		tabbed := func(address string) object { return object{"email": address, "name": name} }
		m, _ := s.mustSend(t, s.mail(object{
			"sender":     tabbed("a@example.com"),
			"recipients": array{tabbed("b@example.org"), tabbed("c@example.org")},
			"ccs":        array{object{"email": "d@example.org", "name": "in\tASCII"}},
			"replyto":    array{tabbed("e@example.org")},
			"subject":    "Grüße,\tmit TAB",
			"headers":    object{"List-Unsubscribe": url, "References": "<a@b>\t<c@d>", "X-A": "a\tb", "X-B": "ü\tb"},
		}))
		const want = "Jürgen Großmann-Łukasiewicz z Łodzi"
		got, err := m.header.Subject()
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, got, "Grüße, mit TAB", "m.header.Subject()")
		for field, value := range map[string]string{
			"List-Unsubscribe": url, "References": "<a@b> <c@d>", "X-A": "a b", "X-B": "ü b",
		} {
			got, err := m.header.Text(field)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, got, value, "m.header.Text(field)")
		}
		for field, value := range map[string]string{"From": want, "To": want, "Cc": "in ASCII", "Reply-To": want} {
			list, err := m.header.AddressList(field)
			for _, box := range list {
				if box.Name != value {
					t.Errorf("%s has %q", field, box.Name)
				}
			}
			words := 0
			if value == want {
				words = len(list)
			}
			if n := strings.Count(m.header.Get(field), "=?"); err != nil || n != words {
				t.Errorf("%s has %d encoded-words, want %d, %v", field, n, words, err)
			}
		}
		for line := range strings.SplitSeq(string(m.raw), "\r\n") {
			expect.AtMost(t, len(line), 998)
			expect.Lacks(t, line, "\t")
			// RFC 2047 section 2: a line with an encoded-word has at most 76 characters.
			if strings.Contains(line, "=?") {
				expect.AtMost(t, len(line), 76)
			}
		}

		python, ok := readByPython(t, m.raw)
		if !ok {
			t.Skip("python3 is not installed: the mail was not read by a second parser")
		}
		expect.Equal(t, python.Subject, "Grüße, mit TAB")
		expect.Equal(t, python.Defects, nil)
		if got := python.From; !slices.Equal(got, []string{want + "|a@example.com"}) {
			t.Errorf("Python reads From %q", got)
		}
		if got := python.To; !slices.Equal(got, []string{want + "|b@example.org", want + "|c@example.org"}) {
			t.Errorf("Python reads To %q", got)
		}
		if got := python.Fields["List-Unsubscribe"]; got != url {
			t.Errorf("Python reads List-Unsubscribe %q", got)
		}
	})
}

// TestHeadersThatAreRefused: a bad header field is an error that names it, and nothing is fetched or sent. A wrong
// JSON type is 400, a broken rule 200. A line break would begin a header field of the client's choice, such as a Bcc.
func TestHeadersThatAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		many := object{}
		for i := range 51 {
			many[fmt.Sprintf("X-%d", i)] = "x"
		}
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"a line break in a value": {
				headers("X-A", "a\r\nBcc: x@example.org"), "headers.X-A must not contain CR, LF or NUL",
			},
			"CR in a value": {headers("X-A", "a\rb"), "headers.X-A must not contain CR, LF or NUL"},
			"LF in a value": {
				headers("References", "<a@b>\n <c@d>"), "headers.References must not contain CR, LF or NUL",
			},
			"NUL in a value": {headers("X-A", "a\x00"), "headers.X-A must not contain CR, LF or NUL"},
			"a line break in a name": {
				headers("X-A: a\r\nBcc", "x@example.org"), "headers.X-A: a\r\nBcc is not a field name",
			},
			"a line break behind a name": {headers("X-A\n", "a"), "is not a field name"},
			"NUL in a name":              {headers("X-\x00", "a"), "is not a field name"},
			"a colon in a name":          {headers("X-A:", "a"), "headers.X-A: is not a field name"},
			"a space in a name":          {headers("X A", "a"), "headers.X A is not a field name"},
			// Some parsers drop the space before the colon, and would read a Bcc.
			"a reserved name and a space": {headers("Bcc ", "x@example.org"), "headers.Bcc  is not a field name"},
			"a name beyond ASCII":         {headers("X-Ä", "a"), "headers.X-Ä is not a field name"},
			"an empty name":               {headers("", "a"), "headers. is not a field name"},
			"a name of 127 bytes":         {headers(strings.Repeat("n", 127), "a"), "has a name of over 126 bytes"},
			"a URL that is not ASCII": {
				headers("List-Unsubscribe", "<https://bücher.example>"),
				"headers.List-Unsubscribe must be printable ASCII: other characters are only allowed in X-*, " +
					"Comments, Organization, Thread-Topic",
			},
			// A vertical tab is white space for some readers, and a character for others.
			"another control where it is not encoded": {
				headers("References", "<a@b>\v<c@d>"), "headers.References must be printable ASCII",
			},
			"a tab around": {
				headers("In-Reply-To", "<a@b>\t"), "headers.In-Reply-To must not begin or end with a space",
			},
			"space around": {
				headers("In-Reply-To", " <a@b>"), "headers.In-Reply-To must not begin or end with a space",
			},
			// The first word stands on the line of the name, and must fit there.
			"a value that does not fit behind its name": {
				headers("List-Unsubscribe", "<https://example.com/"+strings.Repeat("x", 959)+">"),
				"headers.List-Unsubscribe begins with over 980 bytes without a single space",
			},
			"a value that cannot be folded": {
				headers(
					"List-Unsubscribe", "<https://example.com/1>, <https://example.com/"+strings.Repeat("x", 998)+">",
				),
				"headers.List-Unsubscribe has over 997 bytes without a single space",
			},
			// The names of header fields ignore case (RFC 5322 section 1.2.2), and JSON's do not.
			"a name twice": {
				object{"headers": object{"X-Ticket": "1", "x-ticket": "2"}},
				"headers.x-ticket is given twice",
			},
			"51 of them": {object{"headers": many}, "headers are too many: 51; at most 50 are allowed"},
			"over 16 KiB": {
				object{"headers": object{"X-A": strings.Repeat("a", 8<<10), "X-B": strings.Repeat("b", 8<<10)}},
				"headers are too large: names and values have 16390 bytes together; at most 16384 are allowed",
			},
			// Objects have no order, and an error that changes from call to call is hard to search for.
			"several faults at once, in an order": {
				object{"headers": object{"X-B": "\n", "X-A": "\n"}},
				"headers.X-A must not contain CR, LF or NUL; headers.X-B must not",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				fetches := object{"attachments": attachment(s.files.URL+"/hello.txt", nil)}
				s.mustRefuse(t, s.mail(fixture.With(c.mail, fetches)), http.StatusOK, c.want)
			})
		}
		for name, c := range map[string]struct {
			headers any
			want    string
		}{
			"a list": {
				array{object{"name": "X-A", "value": "a"}}, "headers must be an object of strings",
			},
			"a string":                       {"X-A: a", "headers must be an object of strings"},
			"a number":                       {object{"X-A": 1}, "headers.X-A must be a string"},
			"a list of values":               {object{"X-A": array{"a", "b"}}, "headers.X-A must be a string"},
			"a number under a reserved name": {object{"To": 1}, "headers.To must be a string"},
			"a number under a name of 1,000 é": {
				object{strings.Repeat("é", 1000): 1}, "headers." + strings.Repeat("é", 100) + " must be a string",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				bad := s.mail(object{"headers": c.headers, "htmlurl": s.files.URL + "/hello.html"})
				s.mustRefuse(t, bad, http.StatusBadRequest, c.want)
			})
		}
	})
}

// TestReservedHeaders: the names that the contract says are reserved are refused in any case of letters. The error is
// one sentence, which says what to use, or why there is nothing to use.
func TestReservedHeaders(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		use := map[string]string{
			"From": "sender", "To": "recipients", "Cc": "ccs", "Bcc": "bccs", "Reply-To": "replyto", "Sender": "sender",
			"Feedback-ID": "tags", "X-SES-*": "tags", "Content-*": "attachments", "Message-ID": "message_id",
			"Return-Path": "GET /mails", "Errors-To": "GET /mails", "Bounces-To": "GET /mails",
			"Idempotency-Key": "a header field of the request", "idempotencyKey": "a header field of the request",
			"X-Sib-Sandbox": "a mail key that redirects",
		}
		names, err := contracttest.ReservedHeaderFields()
		if err != nil {
			t.Fatal(err)
		}
		for _, reserved := range names {
			localtest.Case(t, reserved, func(t testing.TB) {
				name := strings.ReplaceAll(reserved, "*", "Anything")
				for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
					r := s.send(t, s.mail(headers(spelt, "x@example.com")))
					r.Is(t, http.StatusOK, object{"code": "invalid"})
					expect.HasPrefix(t, r.Error, "headers."+spelt+" may not be set: ", "error")
					expect.Contains(t, r.Error, use[reserved], "error")
					expect.AtMost(t, len(r.Error), 120, "bytes of the error")
				}
			})
		}
	})
}

// TestASubjectAmongTheHeaders becomes the subject of a mail that has none: text of any kind, with placeholders.
func TestASubjectAmongTheHeaders(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			change object
			want   string // the subject
		}{
			"alone":            {object{"headers": object{"Subject": "Grüße"}}, "Grüße"},
			"in other letters": {object{"headers": object{"SUBJECT": "Hi", "X-A": "a"}}, "Hi"},
			"with placeholders": {
				object{
					"headers": object{"subject": "Dear {NAME}"}, "config": array{"subjectplaceholders"},
					"placeholders": array{object{"name": "NAME", "value": "Ada"}},
				},
				"Dear Ada",
			},
			"with a tag of its own":       {object{"headers": object{"subject": "Hi"}, "subject": ""}, "Hi"},
			"beside a subject, but empty": {object{"headers": object{"Subject": ""}, "subject": "Hi"}, "Hi"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				if _, given := c.change["subject"]; !given {
					c.change["subject"] = nil
				}
				m, r := s.mustSend(t, s.mail(c.change))
				got, err := m.header.Subject()
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, got, c.want, "the subject")
				expect.Equal(t, r.Warning, nil, "the warnings")
			})
		}
		for name, c := range map[string]struct {
			change object
			want   string
		}{
			"beside a subject": {
				object{"headers": object{"Subject": "Hi"}}, "headers.Subject is given twice, here and in subject",
			},
			"beside a blank subject": {
				object{"headers": object{"Subject": "Hi"}, "subject": " "},
				"headers.Subject is given twice, here and in subject",
			},
			"twice": {
				object{"headers": object{"Subject": "Hi", "subject": "Ho"}, "subject": nil},
				"headers.subject is given twice, here and in subject",
			},
			"with a line break": {
				object{"headers": object{"Subject": "a\r\nBcc: x@example.org"}, "subject": nil},
				"subject must not contain CR, LF or NUL",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.mail(c.change))
				r.Is(t, http.StatusOK, object{"code": "invalid", "error": c.want})
			})
		}
	})
}
