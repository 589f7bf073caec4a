package mail_test

import (
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestIDsWithoutAngleBrackets are sent as they are, with a warning: mail readers do not find what they name.
func TestIDsWithoutAngleBrackets(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const (
			message = " must have each message id in angle brackets, such as <0100…@email.amazonses.com>: " +
				"mail readers find no conversation otherwise (RFC 5322 section 3.6.4)"
			list = "headers.List-ID must have its id in angle brackets, such as <news.example.com>: " +
				"mailboxes find no list otherwise (RFC 2919 section 3)"
		)
		for name, c := range map[string]struct {
			field, value string
			want         []string
		}{
			"an answer":                 {"In-Reply-To", "<a@example.org>", nil},
			"an answer without":         {"In-Reply-To", "a@example.org", []string{"headers.In-Reply-To" + message}},
			"an answer to words":        {"in-reply-to", "your mail", []string{"headers.In-Reply-To" + message}},
			"an answer with words":      {"In-Reply-To", "your mail of Monday <a@example.org>", nil},
			"a bracket that never ends": {"In-Reply-To", "<a@example.org", []string{"headers.In-Reply-To" + message}},
			"a conversation":            {"References", "<a@example.org> <b@example.org>", nil},
			"a conversation, one without": {
				"References", "<a@example.org> b@example.org", []string{"headers.References" + message},
			},
			"a list":                 {"List-ID", "The news <news.example.com>", nil},
			"a list without":         {"List-Id", "news.example.com", []string{list}},
			"a list with empty ones": {"list-id", "news <>", []string{list}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, r := s.mustSend(t, s.mail(headers(c.field, c.value)))
				expect.Equal(t, m.header.Get(c.field), c.value, c.field)
				expect.Equal(t, r.Warning, c.want, "the warnings")
			})
		}
	})
}
