package mail_test

import (
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestNamesLoseInvisibleEnds: a display name loses what nobody sees at its ends, and a name of it alone is none. What
// is inside stays, such as the joiners of an emoji. A subject is text, and stays as it is.
func TestNamesLoseInvisibleEnds(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const astronaut = "Ada 👩\u200d🚀 ❤\ufe0f"
		for name, want := range map[string]string{
			"\u200bAda\u2060": "Ada", astronaut: astronaut, "\u00ad\u200b": "", " \u200b ": "",
			"A\u200bda": "A\u200bda",
		} {
			m, r := s.mustSend(t, s.mail(object{
				"recipients": array{object{"email": "ada@example.org", "name": name}}, "subject": astronaut + "\u200b",
			}))
			to, err := m.header.AddressList("To")
			if err != nil || len(to) != 1 {
				t.Fatalf("To of %q: %v, %v", name, to, err)
			}
			expect.Equal(t, to[0].Name, want, "the name")
			subject, err := m.header.Subject()
			expect.Equal(t, err, nil, "error of the subject")
			expect.Equal(t, subject, astronaut+"\u200b", "the subject")
			expect.Equal(t, len(r.Warning), 0, "warnings")
		}
		_, r := s.mustSend(t, s.mail(object{"subject": "\u200b\u00ad"}))
		expect.Equal(t, len(r.Warning), 1, "warnings of an invisible subject")
	})
}
