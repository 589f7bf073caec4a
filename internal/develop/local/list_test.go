package local_test

import (
	"net/url"
	"testing"

	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/browsertest"

	"github.com/chromedp/chromedp/kb"
)

// warned is the answer to a mail with two warnings, in the form of the contract.
var warned = url.QueryEscape(`{"status":"success","warning":["the subject is empty","ada@example.org is given twice"]}`)

// testListSays shows what the list says of a mail: its warnings, files and names, why it bounced, and whether it
// is new.
func testListSays(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	sendAs(t, s, "to=ada@example.org&answer="+warned,
		"To: Ada Lovelace <ada@example.org>\r\n"+
			mail(t, "with all", `<p>one<img src=https://example.org/x><img alt="" src=cid:picture>`, []byte("x")))
	p := browser.Open(t, s.URL()+"/_local/#/outbox")
	reads(t, p, "#mails li a", "with all to Ada Lovelace <ada@example.org>")
	reads(t, p, "#mails li .signs", "1 file 4 warnings")
	p.Await(`document.querySelectorAll("#mails .fresh").length === 0`) // no mail is new on the very first visit
	p.Click("#mails a")
	reads(t, p, ".envelope", "To Ada Lovelace <ada@example.org>")
	reads(t, p, ".attachments h3", "1 file, 1 file in the HTML · ") // as many as in the list
	reads(t, p, ".message .warnings", "Warnings of the API the subject is empty ada@example.org is given twice")
	reads(t, p, ".message .troubles", "What would trouble a reader "+
		"One picture has no alt: who cannot see it does not learn what it is. "+
		"It has no text: readers that show no HTML show nothing of it.")
	p.Click(".envelope a[href^='#/requests/']")
	reads(t, p, "#request-list .row .warnings", "2 warnings: the subject is empty · ada@example.org is given twice")
	reads(t, p, ".detail .warnings", "the subject is empty ada@example.org is given twice")

	// The console is left, a mail arrives, and the console is opened again.
	p.Go("about:blank")
	sendWithEvents(t, s, "bounce@simulator.amazonses.com", "")
	p.Go(s.URL() + "/_local/#/outbox")
	reads(t, p, "#mails .fresh .why", "user unknown")
	p.Await(`document.querySelectorAll("#mails .fresh").length === 1`)
	p.Click("#mails .fresh a")
	reads(t, p, "#message .failure", "user unknown")
	p.Await(`document.querySelectorAll("#mails .fresh").length === 0`)
}

// testKeys shows the help for the keys, and that switching the keys off survives a reload.
func testKeys(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	s.Show(console.Shown{FirstMail: "curl"})
	for _, subject := range []string{"first", "second"} {
		send(t, s, "a@example.org", mail(t, subject, "<p>one", nil))
	}
	p := browser.Open(t, s.URL()+"/_local/#/outbox")
	p.Await(`document.querySelectorAll("#mails a").length === 2`)
	p.PressKey("?")
	p.Await(`document.querySelector("#keys").open`)
	p.Press("j") // which the open dialog must keep from the page behind it
	p.Click("#keys-on")
	p.Press(kb.Escape)
	p.Await(`!document.querySelector("#keys").open`)
	still := func() {
		t.Helper()
		p.PressKey("/")
		p.PressKey("j")
		p.PressKey("?")
		p.Await(`document.activeElement.id !== "filter" && !document.activeElement.closest("#mails") &&
			!document.querySelector("#keys").open`)
	}
	still()
	p.Reload()
	p.Await(`document.querySelectorAll("#mails a").length === 2`)
	still()
	p.Click("#show-keys")
	p.Click("#keys-on")
	p.Click("#keys form button")
	p.PressKey("/")
	p.Await(`document.activeElement.id === "filter"`)
}

// testLogin shows that the link to the login page creates a login link, or leads to the request that was refused.
func testLogin(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	call := func(answer string) *console.Call {
		path := "/do/send?to=a@example.org&answer=" + url.QueryEscape(answer)
		return &console.Call{Method: "POST", Path: path, Body: "x"}
	}
	p := browser.Open(t, s.URL()+"/_local/#/outbox")
	s.Show(console.Shown{Login: call(`{"url":"the-link"}`)})
	p.Await(`[...document.querySelectorAll("#links a")].some((link) => link.pathname === "/app/login")`)
	// A tab of the test's own shows what the page would open. The page must not let it reach back by opener.
	browsertest.Eval[any](p, `(window.open = () => window.tab = {opener: window}, null)`)
	p.ClickUntil(`#links a[href="/app/login"]`,
		`window.tab?.location === "the-link" && tab.opener === null`)

	s.Show(console.Shown{Login: call(`{"status":"error","error":"gone"}`)})
	browsertest.Eval[any](p, `(window.open = () => ({close: () => window.gone = true}), null)`)
	p.ClickUntil(`#links a[href="/app/login"]`, `window.gone && location.hash.startsWith("#/requests/")`)
	reads(t, p, "#request-list [open] .reason", "gone")
}
