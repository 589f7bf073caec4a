package bootstraps

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/redirect"
)

// The tests of this file are not parallel: a mail's downloads have 15 seconds, and SES is asked for 20.

// maxPeak is the most memory in bytes that a process of the function may ever have, a fifth of what the template gives
// it. One mail of 40 MiB in several copies would be over it. The collector lets garbage grow to twice what is in use.
const maxPeak = 200_000_000

// TestSeparateMailsNeedLittleMemory: the messages share one encoded copy of the files.
func TestSeparateMailsNeedLittleMemory(t *testing.T) {
	m, file := newMailer(t, start(t, privateDownloads), redirect.Rule{}), serveRepeated(t)
	m.must(t, "success", "separate mails", m.mail(large(file, object{
		"text": nil, "html": "<p>Grüße an {NAME} von {US}</p>", "recipients": readers(3), "config": array{"separate"},
		"placeholders": array{object{"name": "NAME", "value": "Zoë"}, object{"name": "US", "value": "Ünsereins"}},
	})))
	expect.AtMost(t, m.peak(t, sendMail), maxPeak)
}

// TestLargeMessagesNeedLittleMemory, even if servers do not say how long their files are, and if a message goes to
// four groups at once. A redirect gives each group a header of its own, and must not copy the rest. A process serves
// one mail after the other, and keeps nothing of them.
func TestLargeMessagesNeedLittleMemory(t *testing.T) {
	m, file := newMailer(t, start(t, privateDownloads), redirect.Rule{To: "tester@example.org"}), serveRepeated(t)
	for range 6 {
		a := m.must(t, "success", "a large message", m.mail(large(file, object{"recipients": readers(200)})))
		if id, sent := a.Body["id"].(string); sent { // just under the limit of 40 MiB
			raw, _ := m.Outbox().Raw(id)
			expect.AtLeast(t, len(raw), 41_000_000)
			expect.AtMost(t, len(raw), 40<<20)
		}
	}
	expect.AtMost(t, m.peak(t, sendMail), maxPeak)
	// With several processes each would have had less to do, and the figure would say little.
	expect.Len(t, m.processes(t, sendMail), 1)
}

// TestDownloadsOfAnyShapeNeedLittleMemory: what is downloaded may grow while it is decoded, resolved and converted.
func TestDownloadsOfAnyShapeNeedLittleMemory(t *testing.T) {
	m, file := newMailer(t, start(t, privateDownloads), redirect.Rule{}), serveRepeated(t)
	const most = 300_000_000 // bytes
	const text, html, calendar = "text/plain", "text/html", "text/calendar; method=REQUEST"
	page := func(n int, unit string) object { return object{"text": nil, "htmlurl": file(n, html, unit)} }
	plain := func(n int, unit string) object { return object{"text": nil, "texturl": file(n, text, unit)} }
	attached := func(n int, contentType, unit string) object {
		return object{"attachments": attachment(file(n, contentType, unit))}
	}
	for _, c := range []struct {
		name, outcome string
		mail          object
	}{
		{"HTML that is too large", "error", page(42_000_000, "\x80")},
		{"a text that is too large", "error", plain(42_000_000, "\x80")},
		{"HTML that grows in UTF-8", "success", page(1_300_000, "\x80")},
		{"HTML of one token", "success", page(3_900_000, "a")},
		{"HTML of tags", "success", page(3_900_000, "<b>")},
		{"HTML whose addresses are resolved", "success", page(600_000, "<a href=x>y</a>")},
		{"HTML whose addresses make it too large", "error", page(3_900_000, "<a href=x>")},
		{"HTML with styles whose addresses make it too large", "error", page(3_900_000, "<style>url(x)</style>")},
		{"HTML whose base leads nowhere", "success", page(3_900_000, "<base href={A}><a href=x>y</a>")},
		{"HTML that names files", "success", page(3_900_000, "<img src=cid:x>")},
		{"HTML with placeholders", "success", page(3_900_000, "{A} ")},
		{"a calendar that is too large", "success", attached(28_000_000, calendar, "X-A:\x80\n")},
		{"a calendar of line ends", "success", attached(3_900_000, calendar, "\n")},
		{"a calendar that grows in UTF-8", "success", attached(3_900_000, calendar, "\x80")},
		{"a message", "success", attached(24_000_000, "message/rfc822", "a\n")},
		{"a message of a long line", "success", attached(28_000_000, "message/rfc822", "a")},
		{"a file of a text", "success", attached(28_000_000, text, "\x80")},
	} {
		m.must(t, c.outcome, c.name, m.mail(c.mail))
		expect.AtMost(t, m.peak(t, sendMail), most, c.name)
	}
}

// large gives a mail of just under 40 MiB some more fields: it has a file three times.
func large(file func(int, string, string) string, change object) object {
	attached := attachment(file(10_200_000, "application/octet-stream", "x"))
	return fixture.With(object{"attachments": slices.Repeat(attached, 3)}, change)
}

// must sends a mail that comes to an end, whatever time it takes. The time that a mail has of its own may be too little
// on a slow machine: then the log says that this mail has shown less.
func (m mailer) must(t testing.TB, outcome, name string, mail object) fixture.Answer {
	t.Helper()
	a := m.invoke(t, mail)
	late := strings.Contains(a.Raw, "it took too long") || strings.Contains(a.Raw, "could not be asked within")
	switch {
	case late:
		t.Logf("%s: the machine is too slow: %s", name, a.Raw)
	case a.Body["status"] != outcome:
		t.Errorf("%s: answer %d %.500s, want %s", name, a.Status, a.Raw, outcome)
	}
	return a
}
