package mail_test

import (
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestAnUnsubscribeFieldThatMailboxesIgnore: a sender's own fields that make no button are a warning, and are sent as
// they are.
func TestAnUnsubscribeFieldThatMailboxesIgnore(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const (
			brackets = "headers.List-Unsubscribe must have its address in angle brackets, such as " +
				"<https://www.example.com/leave>: mailboxes ignore any other (RFC 2369 section 2)"
			https = "headers.List-Unsubscribe-Post is ignored by mailboxes: List-Unsubscribe has no https address " +
				"in angle brackets (RFC 8058 section 3.1)"
			value = "headers.List-Unsubscribe-Post is ignored by mailboxes: " +
				"it must be List-Unsubscribe=One-Click (RFC 8058 section 3.1)"
			oneClick = "List-Unsubscribe=One-Click"
		)
		public := start(t, func(o *local.Options) {
			o.Parameters = map[string]string{"PublicUrl": "https://api.example.net"}
		})
		onThisMachine := start(t)
		for name, c := range map[string]struct {
			at          *stack
			list, click any
			want        []string
		}{
			"an address in brackets": {public, "<https://e.example/u>", oneClick, nil},
			"one of two with https": {
				public, "<mailto:u@e.example>, (by web) <HTTPS://e.example/u>", oneClick, nil,
			},
			"a mailto address alone":      {public, "<mailto:u@e.example?subject=leave>", nil, nil},
			"an address without brackets": {public, "https://e.example/u", nil, []string{brackets}},
			"one of two without brackets": {
				public, "<mailto:u@e.example>, https://e.example/u", nil, []string{brackets},
			},
			"a bracket that does not end":  {public, "<https://e.example/u", nil, []string{brackets}},
			"words":                        {public, "unsubscribe here", nil, []string{brackets}},
			"no brackets and one click":    {public, "https://e.example/u", oneClick, []string{brackets, https}},
			"http and one click":           {public, "<http://e.example/u>", oneClick, []string{https}},
			"mailto and one click":         {public, "<mailto:u@e.example>", oneClick, []string{https}},
			"one click alone":              {public, nil, oneClick, []string{https}},
			"one click by another word":    {public, "<https://e.example/u>", "One-Click", []string{value}},
			"http on this machine":         {onThisMachine, "<http://127.0.0.1:3000/u>", oneClick, nil},
			"no brackets on this machine":  {onThisMachine, "http://127.0.0.1:3000/u", nil, []string{brackets}},
			"mailto only, on this machine": {onThisMachine, "<mailto:u@e.example>", oneClick, []string{https}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				fields := object{}
				if c.list != nil {
					fields["list-unsubscribe"] = c.list
				}
				if c.click != nil {
					fields["List-Unsubscribe-Post"] = c.click
				}
				m, r := c.at.mustSend(t, c.at.mail(object{"headers": fields}))
				expect.Equal(t, r.Warning, c.want, "the warnings")
				if c.list != nil {
					expect.Equal(t, m.header.Get("List-Unsubscribe"), c.list.(string))
				}
			})
		}
	})
}
