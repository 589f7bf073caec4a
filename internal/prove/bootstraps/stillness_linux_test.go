package bootstraps

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/redirect"
)

// TestNothingOutlivesItsRequest sends HTML that is dear to convert. The process uses next to no CPU after the answer:
// Lambda freezes it then, and what goes on would use the CPU of the next request. A busy machine gives it less.
func TestNothingOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	m := newMailer(t, start(t), redirect.Rule{})
	for name, html := range map[string]string{
		"a class that is repeated 12,000 times": "<style>" + strings.Repeat(".a.b{display:none}", 32) +
			"</style><p class='" + strings.Repeat("a ", 12_000) + "'>x",
		"a base of 100 kB": "<base href='https://e.org/" + strings.Repeat("b", 100_000) + "/'>" +
			strings.Repeat("<a href=x>y</a>", 35_000),
		"a base of 2 kB": "<base href='https://e.org/" + strings.Repeat("b", 2_000) + "/'>" +
			strings.Repeat("<a href=x>y</a>", 65_000),
	} {
		t.Run(name, func(t *testing.T) {
			m.must(t, "success", name, m.mail(object{"text": nil, "html": html}))
			answered := m.ticks(t, sendMail)
			time.Sleep(time.Second)
			expect.AtMost(t, m.ticks(t, sendMail)-answered, 10, "hundredths of a second of CPU after the answer")
		})
	}
	expect.AtMost(t, m.peak(t, sendMail), maxPeak)
}
