package docs_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/unsubscribe"

	"github.com/chromedp/chromedp/kb"
)

// putIn puts a mail key into the page of mails.
func putIn(p *browsertest.Page, key string) {
	browsertest.Eval[any](p, `(document.querySelector("#key").focus(), null)`)
	p.Insert(key)
	p.Press(kb.Enter)
}

// says waits until an element reads like that, with single spaces.
func says(p *browsertest.Page, selector, text string) {
	p.Await(fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ").includes(%q)`, selector, text))
}

// rows waits until the list has as many mails.
func rows(p *browsertest.Page, n int) {
	p.Await(fmt.Sprintf(`document.querySelectorAll("#mails a").length === %d`, n))
}

// openMail opens the newest mail. The rows move when their heights are known.
func openMail(p *browsertest.Page) {
	p.ClickUntil("#mails a", `location.hash.startsWith("#/mails/")`)
}

// sendTo sends a mail, and waits until the log has its events.
func sendTo(t *testing.T, stack *fixture.Stack, key, subject string, to ...string) {
	t.Helper()
	var recipients []fixture.Object
	for _, address := range to {
		recipients = append(recipients, fixture.Object{"email": address})
	}
	stack.Call(t, fixture.To("sendMail"), nil, fixture.Object{
		"key": key, "subject": subject, "text": "Hello.", "recipients": recipients,
	}).Is(t, 200, fixture.Object{"status": "success"})
	if err := stack.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestThePageOfMailsInABrowser: whoever has a mail key sees what became of its mails and who has unsubscribed, by
// keyboard alone. The key is nowhere but in the memory of the page.
func TestThePageOfMailsInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	tenant := stack.NewTenant(t)
	key, page := tenant.MailKeyText, stack.URL()+"/docs/mails"
	p := browser.Open(t, page)
	watch(p)
	const wrong = "This key is not good here: it is mistyped, revoked, or of another stack."
	for _, text := range []string{"x", tenant.AgentToken, "fdm_1_" + strings.Repeat("0", 64)} {
		putIn(p, text)
		says(p, "#key-problem", wrong)
	}
	putIn(p, key)
	says(p, "#first-mail", "Send one.")
	command := browsertest.Eval[string](p, `document.querySelector("#first-mail pre").textContent`)
	expect.Contains(t, command, stack.URL()+fixture.To("sendMail").Path)
	expect.Lacks(t, command, key)

	// New mails are there when the reader asks.
	sendTo(t, stack, key, "Your ticket", "bounce@simulator.amazonses.com", "ada@example.org")
	p.Click("#first-mail button.main")
	rows(p, 1)
	sendTo(t, stack, key, "Password reset", "complaint@simulator.amazonses.com")
	p.Click("#look")
	rows(p, 2)
	says(p, "#mails li:first-child", "Password reset to complaint@simulator.amazonses.com")
	says(p, "#mails li:last-child", "+1")

	// A mail opens by the keyboard, and says what its events mean. Escape leads back.
	browsertest.Eval[any](p, `(document.querySelector("#mails li:last-child a").focus(), null)`)
	p.Press(kb.Enter)
	p.Await(`document.activeElement.matches("#mail h2")`)
	says(p, "#mail", "bounced There is no such mailbox. Correct the address, or stop sending to it. "+
		"smtp; 550 5.1.1 user unknown")
	says(p, "#mail", "delivered The recipient's server has taken the mail.")
	p.Press(kb.Escape)
	p.Await(`document.activeElement.matches("#mails li:last-child a")`)
	p.Click("#utc")
	p.Await(`/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/.test(document.querySelector("#mails time").innerText)`)

	// The filter and the open mail are in the fragment of the address, and lead there whoever has the key.
	p.Click("#filters summary")
	browsertest.Eval[any](p, `(document.querySelector("#filter").elements.status.value = "complained", null)`)
	p.Click("#filter button")
	rows(p, 1)
	openMail(p)
	says(p, "#mail", "The recipient has called the mail spam.")
	shared := browsertest.Eval[string](p, "location.href")
	expect.Contains(t, shared, "?status=complained")
	p.Go("about:blank")
	p.Go(shared)
	watch(p)
	p.Await(`document.querySelector("#ask").checkVisibility() && document.querySelector("#mails-page").hidden`)
	putIn(p, key)
	says(p, "#mail h2", "Password reset")
	rows(p, 1)
	browsertest.Eval[any](p, `(location.hash = "#/mails?recipient=nobody%40example.org", null)`)
	says(p, "#mails-state", "No mail matches.")
	const none = "0100019a2b3c4d5e-6f708192-a3b4-c5d6-e7f8-091a2b3c4d5e-000000"
	browsertest.Eval[any](p, `(location.hash = "#/mails/`+none+`", null)`)
	says(p, "#mail", "The log does not know this mail: it is of another key, older than the log, forgotten, or so new")

	// Who has unsubscribed.
	p.Click(`#pages a[href="#/unsubscribes"]`)
	says(p, "#unsubscribes-page", "Nobody has unsubscribed.")
	store := unsubscribe.Store{Table: stack.Table}
	for _, list := range []string{"news", ""} {
		of := unsubscribe.Subscription{MailKey: tenant.MailKey.ID, List: list, Recipient: "grete@example.org"}
		if _, err := store.Add(t.Context(), of); err != nil {
			t.Fatal(err)
		}
	}
	p.Click("#unsubscribes-filter button")
	says(p, "#unsubscribes", "Mails of no list grete@example.org")
	browsertest.Eval[any](p, `(location.hash = "#/unsubscribes?list=news", null)`)
	says(p, "#unsubscribes", "news grete@example.org")
	p.Await(`document.querySelectorAll("#unsubscribes li").length === 1`)
	p.Click(`#unsubscribes-filter a`)
	says(p, "#unsubscribes", "Mails of no list grete@example.org")

	mustNotKeep(t, p, stack, key)
	p.Click("#forget")
	p.Await(`document.activeElement.id === "key"`)
	mustNotKeep(t, p, stack, key)
	for _, gone := range []string{key, "grete@example.org", "Password reset", "bounce@simulator"} {
		expect.Lacks(t, browsertest.Eval[string](p, "document.documentElement.outerHTML + location.href"), gone)
	}
	expect.Lacks(t, browsertest.Eval[string](p, `document.querySelector("#key").value`), key)
	mustKeepToItself(t, p, stack.URL())
}

// watch records what the page's policy refuses.
func watch(p *browsertest.Page) {
	browsertest.Eval[any](p, `(refused = [], addEventListener("securitypolicyviolation", `+
		`(e) => refused.push(e.blockedURI + " " + e.violatedDirective)), null)`)
}

// mustNotKeep looks for the key in all that outlives the page, and in the stack's log.
func mustNotKeep(t *testing.T, p *browsertest.Page, stack *fixture.Stack, key string) {
	t.Helper()
	expect.Equal(t, browserKeeps(p), "[{},{}]")
	kept := browsertest.Eval[string](p, `JSON.stringify([document.cookie, document.title, location.href, history.state,
		document.documentElement.outerHTML, performance.getEntriesByType("resource").map(({name}) => name)])`)
	_, secret, _ := strings.Cut(strings.TrimPrefix(key, "fdm_"), "_")
	expect.Lacks(t, kept, secret)
	for _, line := range localtest.Logs(stack.Stack) {
		expect.Lacks(t, line, secret)
	}
}

// answering makes the page get this answer to each request from now on; a status of 0 is a network that ends.
func answering(p *browsertest.Page, status int, header map[string]string, body any) {
	text, _ := json.Marshal([]any{status, header, body})
	browsertest.Eval[any](p, `(window.fetch = async () => {
		const [status, headers, body] = `+string(text)+`
		if (status === 0) throw new TypeError("Failed to fetch")
		return new Response(JSON.stringify(body), { status, headers: headers ?? {} })
	}, null)`)
}

// TestThePageOfMailsFailsInWordsInABrowser: each failure is a sentence with a way on, and what was shown stays. axe
// finds no fault, light and dark, and nothing is wider than the window.
func TestThePageOfMailsFailsInWordsInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	axe := browsertest.NewAxe(t, "../../..")
	stack := fixture.StartBootstraps(t)
	tenant := stack.NewTenant(t)
	sendTo(t, stack, tenant.MailKeyText, "Your ticket", "bounce@simulator.amazonses.com")
	p := browser.Open(t, stack.URL()+"/docs/mails")
	axe.Check(p, "without a key")
	putIn(p, tenant.MailKeyText)
	rows(p, 1)
	message := fixture.Object{"message": "x"}
	coded, wait := fixture.Object{"message": "x", "code": "x"}, map[string]string{"retry-after": "3"}
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   any
		says   string
		action string
	}{
		"no log":                 {404, nil, message, "This stack keeps no log of mails.", "Who has unsubscribed"},
		"too many":               {429, nil, message, "More requests came at once than", "Try again"},
		"not now":                {503, nil, message, "No answer came in time.", "Try again"},
		"not now, for a time":    {503, wait, coded, "Try again in 3 seconds.", "Try again"},
		"a fault":                {500, nil, fixture.Object{"request_id": "r1"}, "finds the request r1", "Try again"},
		"a proxy's page":         {502, nil, "", "The stack failed with 502.", "Try again"},
		"a malformed filter":     {400, nil, fixture.Object{"message": "no day"}, "refuses this: no day.", "All mails"},
		"a network that ends":    {0, nil, nil, "The stack cannot be reached.", "Try again"},
		"a key that was revoked": {401, nil, coded, "This key is not good here:", "Show the mails"},
	} {
		t.Run(name, func(t *testing.T) {
			p.Go("about:blank")
			p.Go(stack.URL() + "/docs/mails")
			putIn(p, tenant.MailKeyText)
			rows(p, 1)
			answering(p, c.status, c.header, c.body)
			p.Click("#look")
			says(p, "main", c.says)
			p.Await(fmt.Sprintf(`[...document.querySelectorAll("main :is(button, a)")].some((one) =>
				one.textContent === %q && one.checkVisibility())`, c.action))
			rows(p, 1)
			checkLook(t, axe, p, name)
		})
	}
}

// checkLook checks a state of the page at two widths, light and dark.
func checkLook(t *testing.T, axe browsertest.Axe, p *browsertest.Page, what string) {
	t.Helper()
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		wide := browsertest.Eval[int64](p, "document.documentElement.scrollWidth")
		expect.AtMost(t, wide, width, fmt.Sprintf("%s: the width of the page", what))
		axe.Check(p, fmt.Sprintf("%s, %d pixels wide", what, width))
		p.Dark(true)
		axe.CheckColors(p, fmt.Sprintf("%s, %d pixels wide, dark", what, width))
		p.Dark(false)
	}
	p.Resize(1280, 800)
}

// TestThePageOfMailsLooksFurtherInABrowser: older mails come behind those that are shown, and new ones before them,
// where the reader asks or comes back to the tab. Where more are new than a page has, the list begins anew.
func TestThePageOfMailsLooksFurtherInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	p := browser.Open(t, stack.URL()+"/docs/mails")
	answer := func(next string, subjects ...string) {
		mails := fixture.Array{}
		for _, subject := range subjects {
			mails = append(mails, fixture.Object{
				"id": subject, "status": "sent", "from": "a@example.com", "subject": subject,
				"sent_at": "2026-11-22T09:30:00Z", "recipients": fixture.Array{},
			})
		}
		answering(p, 200, nil, fixture.Object{"payload": mails, "meta": fixture.Object{"next_cursor": next}})
	}
	reads := func(button string, subjects ...string) {
		t.Helper()
		p.Await(fmt.Sprintf(`[...document.querySelectorAll("#mails .subject")].map((one) => one.textContent)
			.join(" ") === %q && document.querySelector("#more-mails:not([hidden])")?.textContent === %q`,
			strings.Join(subjects, " "), button))
	}
	answer("c1", "four", "three")
	putIn(p, "fdm_1_"+strings.Repeat("0", 64))
	reads("Older mails", "four", "three")
	answer("c2", "two", "one")
	p.Click("#more-mails")
	reads("Older mails", "four", "three", "two", "one")
	answer("c3", "five", "four")
	browsertest.Eval[any](p, `(document.dispatchEvent(new Event("visibilitychange")), null)`)
	reads("Older mails", "five", "four", "three", "two", "one")
	answer("c4", "nine", "eight")
	p.Click("#look")
	reads("Older mails", "nine", "eight")
	answer("c5")
	browsertest.Eval[any](p, `(location.hash = "#/mails?status=bounced", null)`)
	reads("Look further")
	says(p, "#mails-state", "None among the mails that were looked at so far.")
	answer("", "one")
	p.Click("#more-mails")
	rows(p, 1)
	p.Await(`document.querySelector("#more-mails").hidden`)
}

// TestThePageOfMailsShowsTextAsTextInABrowser: what others wrote makes no markup, turns no line, and fits, however long
// it is.
func TestThePageOfMailsShowsTextAsTextInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	axe := browsertest.NewAxe(t, "../../..")
	stack := fixture.StartBootstraps(t)
	p := browser.Open(t, stack.URL()+"/docs/mails")
	watch(p)
	hostile := "<img src=x onerror=alert(1)>\x00\u202eevil\u2066 &amp; \u05d0\u05d1" + strings.Repeat("w", 10<<10)
	email := "\u202e<b>" + strings.Repeat("a", 10<<10) + "@example.org"
	at := "2026-11-22T09:30:00.125Z"
	mail := fixture.Object{
		"id": "<b>1", "status": "bounced", "from": hostile, "subject": hostile, "sent_at": at, "redirected": true,
		"recipients": fixture.Array{fixture.Object{"email": email, "status": "bounced", "at": at, "detail": hostile}},
		"events": fixture.Array{
			fixture.Object{"type": "bounced", "at": at, "recipients": fixture.Array{email}, "detail": hostile},
			fixture.Object{"type": "delayed", "at": at, "recipients": fixture.Array{}, "detail": hostile},
		},
		"more_events": true,
	}
	left := fixture.Object{"email": email, "list": hostile, "by": "link", "at": at}
	putIn(p, "fdm_1_"+strings.Repeat("0", 64))
	says(p, "#key-problem", "This key is not good here")
	for _, screen := range []struct {
		hash, ready string
		payload     any
	}{
		{"#/mails?status=bounced", `document.querySelector("#mails a")`, fixture.Array{mail}},
		{"#/mails/%3Cb%3E1?status=bounced", `document.querySelector("#mail .recipients .detail")`, mail},
		{"#/unsubscribes", `document.querySelector("#unsubscribes li")`, fixture.Array{left}},
	} {
		answering(p, 200, nil, fixture.Object{"payload": screen.payload, "meta": fixture.Object{"next_cursor": "x"}})
		if screen.hash == "#/mails?status=bounced" {
			putIn(p, "fdm_1_"+strings.Repeat("0", 64))
		}
		browsertest.Eval[any](p, fmt.Sprintf(`(location.hash = %q, null)`, screen.hash))
		p.Await(screen.ready)
		text := browsertest.Eval[string](p, `document.querySelector("main").textContent`)
		expect.Contains(t, text, "<b>", screen.hash)
		for _, sign := range []string{"\x00", "\u202e", "\u2066"} {
			expect.Lacks(t, text, sign, screen.hash)
		}
		made := browsertest.Eval[int](p, `document.querySelectorAll("main :is(img, b)").length`)
		expect.Equal(t, made, 0, screen.hash)
		for _, width := range []int64{320, 1600} {
			p.Resize(width, 844)
			wide := browsertest.Eval[int64](p, "document.documentElement.scrollWidth")
			expect.AtMost(t, wide, width, screen.hash)
		}
		checkLook(t, axe, p, screen.hash)
	}
	if refused := browsertest.Eval[[]string](p, "refused"); len(refused) > 0 {
		t.Errorf("the policy refused %q", refused)
	}
}

// TestWhatABounceMeansInABrowser: an enhanced status code says it (RFC 3463); without one SES's own text is all there
// is.
func TestWhatABounceMeansInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	p := browser.Open(t, stack.URL()+"/docs/mails")
	browsertest.Eval[any](p, `(import("/docs/mails/meaning.js").then((all) => { meaning = all.meaning }), null)`)
	p.Await(`typeof meaning === "function"`)
	for name, c := range map[string]struct{ kind, detail, begins string }{
		"no such mailbox":          {"bounced", "smtp; 550 5.1.1 user unknown", "There is no such mailbox."},
		"a full mailbox":           {"bounced", "smtp; 452-4.2.2 full", "The mailbox is full."},
		"by policy":                {"bounced", "554 5.7.1 refused", "The recipient's server refuses the mail by its"},
		"DMARC":                    {"bounced", "550-5.7.26 unauthenticated", "The mail passes neither SPF nor DKIM"},
		"a code that is not known": {"bounced", "550 5.1.99", "Something is wrong with the address."},
		"at the end of a sentence": {"bounced", "it said 5.2.1.", "The mailbox is switched off."},
		"no code":                  {"bounced", "smtp; 550 no", ""},
		"an IP address":            {"bounced", "no mail from 5.1.1.7, nor 15.1.1", ""},
		"no detail":                {"bounced", "", ""},
		"a delay with a code":      {"delayed", "smtp; 452 4.2.2 full", "The mailbox is full. SES tries again"},
		"a delay without one":      {"delayed", "", "The recipient's server has not taken"},
		"the account's list":       {"suppressed", "OnAccountSuppressionList", "SES did not try: the address has"},
		"SES's list":               {"suppressed", "Suppressed", "SES did not try: the address has"},
		"a virus":                  {"rejected", "Bad content", "SES has found a virus"},
		"a status of later":        {"opened", "", ""},
	} {
		got := browsertest.Eval[string](p, fmt.Sprintf("meaning(%q, %q)", c.kind, c.detail))
		if !strings.HasPrefix(got, c.begins) || (c.begins == "") != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestAMailSaysItWasRedirectedInABrowser: on a deployed stack, too, whose page asks no other for credentials.
func TestAMailSaysItWasRedirectedInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	const host = "desk.localhost" // for browsers this machine, for the page a deployment
	stack := fixture.StartBootstraps(t, func(o *local.Options) {
		o.Hosts = []string{host}
		o.Parameters = map[string]string{"RedirectMailTo": "tester@example.net"}
	})
	tenant := stack.NewTenant(t)
	sendTo(t, stack, tenant.MailKeyText, "Your ticket", "ada@example.org")
	address, err := url.Parse(stack.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := browser.Open(t, fmt.Sprintf("http://%s:%s/docs/mails", host, address.Port()))
	putIn(p, tenant.MailKeyText)
	openMail(p)
	says(p, "#mail h2", "[ada@example.org] Your ticket")
	says(p, "#mail .notice", "This mail was redirected")
	says(p, "#mail .recipients", "tester@example.net")
}
