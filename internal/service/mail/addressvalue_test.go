package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestAValueThatMayChangeALink is sent as it is, with a warning for its name.
func TestAValueThatMayChangeALink(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		warn := func(name, sign, escaped string) []string {
			return []string{"{" + name + "} stands within an address of html, and its value has " + sign +
				", which may change the link: an address has " + escaped + " for it"}
		}
		space := warn("Q", "white space", "%20")
		const search = `<a href="https://example.com/?q={Q}&p=1">x</a>`
		for name, c := range map[string]struct {
			html, value string
			want        []string
		}{
			"a space":                      {search, "a b", space},
			"a line feed":                  {search, "a\nb", space},
			"an ampersand":                 {search, "a&b", warn("Q", `"&"`, "%26")},
			"a number sign":                {search, "C#", warn("Q", `"#"`, "%23")},
			"a percent sign":               {search, "50%", warn("Q", `"%"`, "%25")},
			"a percent sign and one digit": {search, "5%a", warn("Q", `"%"`, "%25")},
			"the first of several":         {search, "50% & more", warn("Q", `"%"`, "%25")},
			"in a picture":                 {`<img src='https://example.com/{Q}.png' alt="">`, "a b", space},
			"in a mail link":               {`<a href=mailto:a@example.org?subject={Q}>x</a>`, "a b", space},
			"behind another one":           {`<a href="{BASE}{Q}">x</a>`, "a b", space},
			"at two places": {
				`<a href="{Q}">x</a><a href="/{Q}">x</a>` + search, "a b", space,
			},

			"an escape":                 {search, "a%20b%C3%BC", nil},
			"letters beyond ASCII":      {search, "Zürich", nil},
			"an address":                {`<a href="{Q}">x</a>`, "https://example.com/?a=1&b=2#c d", nil},
			"an address, behind spaces": {`<a href=" {Q}">x</a>`, "https://example.com/?a=1&b=2#c d", nil},
			"in a text":                 {`<p title="a {Q}">a {Q}</p>`, "a & b", nil},
			"in a comment":              {"<!--" + search + "-->{Q}", "a b", nil},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				for _, config := range []array{{}, {"escapeplaceholders"}} {
					_, r := s.mustSend(t, s.mail(object{
						"html": c.html + "<!-- {BASE} -->", "config": config, "placeholders": array{
							object{"name": "q", "value": c.value},
							object{"name": "base", "value": "https://example.com/"},
						},
					}))
					expect.Equal(t, r.Warning, c.want, "the warnings")
				}
			})
		}
		localtest.Case(t, "one warning a name, in order, and 20 of them", func(t testing.TB) {
			var html strings.Builder
			var list array
			var want []string
			for i := range 22 {
				name := fmt.Sprintf("N%02d", i)
				fmt.Fprintf(&html, `<a href="/{%s}/{%s}">x</a>`, name, name)
				list = append(list, object{"name": name, "value": "a b"})
				want = append(want, warn(name, "white space", "%20")...)
			}
			_, r := s.mustSend(t, s.mail(object{"html": html.String(), "placeholders": list}))
			expect.Equal(t, r.Warning, want[:20], "the warnings")
		})
		localtest.Case(t, "the value of one recipient", func(t testing.TB) {
			r := s.send(t, s.separate(array{
				object{"email": "a@example.org", "placeholders": array{object{"name": "Q", "value": "a"}}},
				object{"email": "b@example.org", "placeholders": array{object{"name": "Q", "value": "a&b"}}},
			}, object{"html": search, "subject": "x", "placeholders": nil}))
			expect.Equal(t, r.Warning, warn("Q", `"&"`, "%26"), "the warnings")
		})
		localtest.Case(t, "a link to unsubscribe has none", func(t testing.TB) {
			r := s.send(t, s.newsletter(recipients("r", 1), object{
				"html": `<a href="https://example.com/?to={UNSUBSCRIBE}">x</a><a href="{UNSUBSCRIBE}">Leave</a>`,
			}))
			expect.Equal(t, r.Warning, nil, "the warnings")
		})
	})
}
