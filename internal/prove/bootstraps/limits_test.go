package bootstraps

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/redirect"
)

// TestAPageThatTakesTooMuchToParse becomes the text of its tokens, with a warning. The HTML parser would open its 500
// elements again in each of 10,000 paragraphs: gigabytes, for minutes. In simulated time no parser takes any time, so
// it would never be ended.
func TestAPageThatTakesTooMuchToParse(t *testing.T) {
	t.Parallel()
	m := newMailer(t, start(t), redirect.Rule{})
	html := "<p>"
	for i := range 500 {
		html += fmt.Sprintf("<i a=%d>", i)
	}
	const paragraphs = 10_000
	a := m.invoke(t, m.mail(object{"text": nil, "html": html + strings.Repeat("<p>x", paragraphs)}))
	expect.Equal(t, a.Body["status"], any("success"), a.Raw)
	const tooMuch = "html was converted to plain text without regard to its style: it takes too much memory or time " +
		"to parse"
	expect.Equal(t, fmt.Sprint(a.Body["warning"]), fmt.Sprint([]string{tooMuch}))
	raw, _ := m.Outbox().Raw(fmt.Sprint(a.Body["id"]))
	expect.Equal(t, strings.Count(string(raw), "\r\n\r\nx"), paragraphs)
}
