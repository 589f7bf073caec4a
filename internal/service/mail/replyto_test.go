package mail_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestReplytoBecomesOneHeaderField: RFC 5322 section 3.6 allows one Reply-To. Its addresses may belong to anybody, and
// never get into the envelope.
func TestReplytoBecomesOneHeaderField(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			replyto any
			want    string // the header's value, "" for none
		}{
			"one address":                {array{object{"email": "help@example.com"}}, "help@example.com"},
			"of a domain not of the key": {array{object{"email": "help@elsewhere.example"}}, "help@elsewhere.example"},
			"with a name": {
				array{object{"email": "help@example.com", "name": "Help Desk"}},
				"Help Desk <help@example.com>",
			},
			"with a name beyond ASCII": {
				array{object{"email": "help@example.com", "name": "Büro"}},
				"Büro <help@example.com>",
			},
			"a domain in punycode": {array{object{"email": "help@bücher.example"}}, "help@xn--bcher-kva.example"},
			"several": {
				array{object{"email": "a@example.com"}, object{"email": "b@example.com"}},
				"a@example.com, b@example.com",
			},
			"as many as may be":     {recipients("r", 50), ""},
			"an empty list is none": {array{}, ""},
			"null is none":          {nil, ""},
			// It changes nothing for a reader, and the service does not guess what the client meant by it.
			"the sender's own, all the same": {array{object{"email": "sender@example.com"}}, "sender@example.com"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				mail := s.mail(nil)
				mail["replyto"] = c.replyto
				m, _ := s.mustSend(t, mail)
				got, err := m.header.Text("Reply-To")
				list, _ := c.replyto.(array)
				if err != nil {
					t.Fatal(err)
				}
				if len(list) < 50 {
					expect.Equal(t, got, c.want)
				}
				// The value of 50 addresses is folded: their number is enough.
				if len(list) == 50 {
					expect.Equal(t, strings.Count(got, "@"), 50)
				}
				if (got == "") == m.header.Has("Reply-To") {
					t.Errorf("header:\n%s", m.raw)
				}
				if !slices.Equal(m.to, []string{"ada@example.org"}) {
					t.Errorf("envelope to %q", m.to)
				}
			})
		}
	})
}

// TestReplyToThatIsRefused: its addresses keep the rules for recipients. A wrong JSON type is 400, a broken rule 200.
func TestReplyToThatIsRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			replyto any
			status  int
			want    string
		}{
			"51 addresses": {recipients("r", 51), 200, "replyto are too many: 51; at most 50 are allowed"},
			"no address":   {array{object{"name": "Help"}}, 200, "replyto[0].email is missing"},
			"what is no address": {
				array{object{"email": "a@example.com"}, object{"email": "help"}},
				200, `replyto[1].email "help" is not a valid e-mail address`,
			},
			"a line break in an address": {
				array{object{"email": "a@example.com\r\nBcc: x@example.org"}},
				200, "replyto[0].email",
			},
			"a line break in a name": {
				array{object{"email": "a@example.com", "name": "A\r\nBcc: x@example.org"}},
				200, "replyto[0].name must not contain CR, LF or NUL",
			},
			"an object":               {object{"email": "a@example.com"}, 400, "replyto must be an array of objects"},
			"a string":                {"a@example.com", 400, "replyto must be an array of objects"},
			"a list of strings":       {array{"a@example.com"}, 400, "replyto[0] must be an object"},
			"a number for an address": {array{object{"email": 1}}, 400, "replyto[0].email must be a string"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s.mustRefuse(t, s.mail(object{"replyto": c.replyto}), c.status, c.want)
			})
		}
		localtest.Case(t, "an unknown field of it is a warning", func(t testing.TB) {
			r := s.send(t, s.mail(object{"replyto": array{object{"email": "a@example.com", "phone": 1}}}))
			r.Is(t, http.StatusOK, nil)
			expect.Equal(t, r.Warning, []string{"unknown field replyto[0].phone is ignored"})
		})
	})
}
