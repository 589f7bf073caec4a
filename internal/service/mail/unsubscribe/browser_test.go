package unsubscribe_test

import (
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/unsubscribe"

	"github.com/chromedp/chromedp/kb"
)

// TestUnsubscribingInABrowser: the page works on a phone, with a finger and with a keyboard.
func TestUnsubscribingInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	s := fixture.StartBootstraps(t)
	key, _ := s.NewMailKey(t, mailkey.Key{
		Name: "test", Sender: mail.Address{Name: "Desk", Address: "desk@example.com"},
	})
	sealer, err := unsubscribe.NewSealer(key.ID, key.Secret)
	if err != nil {
		t.Fatal(err)
	}
	store := unsubscribe.Store{Table: s.Table}
	left := func(want int) {
		t.Helper()
		all, err := store.All(t.Context(), key.ID, unsubscribe.Query{})
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, all, want, "who has left")
	}
	at := func(title string) string { return `document.querySelector("h1")?.textContent === "` + title + `"` }

	p := browser.Open(t, "about:blank")
	p.Resize(360, 640)
	address := s.URL() + unsubscribe.Path + sealer.Seal("news", "ada@example.org")
	for range 2 { // as programs do that scan mails
		p.Go("about:blank")
		p.Go(address)
		p.Await(at("Stop these mails?"))
	}
	left(0)
	said := browsertest.Eval[string](p, "document.body.innerText")
	expect.Contains(t, said, "List\nnews\nSender\ndesk@example.com\n")
	expect.Lacks(t, said, "ada")
	wide := browsertest.Eval[bool](p, "document.documentElement.scrollWidth > innerWidth")
	expect.Equal(t, wide, false, "the page is wider than the phone")
	axe := browsertest.NewAxe(t, "../../../..")
	axe.Check(p, "by day")
	p.Dark(true)
	axe.Check(p, "by night")
	p.Click("button")
	p.Await(at("You are unsubscribed"))
	left(1)
	expect.Equal(t, browsertest.Eval[string](p, "location.href"), address, "address")
	expect.Equal(t, browsertest.Eval[string](p, "document.cookie"), "", "cookies")
	p.Press(kb.Tab)
	p.Press(kb.Enter)
	p.Await(at("You get these mails again"))
	left(0)
	p.Go("about:blank")
	p.Go(address)
	p.Click("button")
	p.Await(at("You are unsubscribed"))
	left(1)
	p.Go(address[:len(address)-1])
	p.Await(at("This link does not work"))
	if n := browsertest.Eval[int](p, "document.forms.length + document.scripts.length"); n > 0 {
		t.Errorf("the page has %d forms and scripts", n)
	}
}

// TestEveryTextFitsOnAPhoneInABrowser: of each page in each language nothing is wider than 320 pixels, also where the
// names of the list and the sender are as long as they can be.
func TestEveryTextFitsOnAPhoneInABrowser(t *testing.T) {
	t.Parallel()
	p := browsertest.Start(t).Open(t, "about:blank")
	p.Resize(320, 640)
	file := filepath.Join(t.TempDir(), "page.html")
	sender := strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + ".example.org"
	for name, page := range unsubscribe.Pages(strings.Repeat("news", 16), sender) {
		if err := os.WriteFile(file, page, 0o600); err != nil {
			t.Fatal(err)
		}
		p.Go("file://" + file)
		wide := browsertest.Eval[[]string](p, `[...document.querySelectorAll("html, body *")].filter((one) =>
			one.scrollWidth > one.clientWidth && one.clientWidth > 0 || one.getBoundingClientRect().right > 320)
			.map((one) => one.outerHTML)`)
		expect.Len(t, wide, 0, name)
	}
}

// TestTheConsoleClicksAsAMailboxInABrowser: the console shows the link of a mail, and the request that a mailbox's
// button makes.
func TestTheConsoleClicksAsAMailboxInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	s := fixture.StartBootstraps(t)
	key, text := s.NewMailKey(t, mailkey.Key{Name: "test", From: []string{"example.com"}})
	sent := s.Call(t, fixture.To("sendMail"), nil, fixture.Object{
		"key": text, "subject": "News", "text": "News", "sender": fixture.Object{"email": "a@example.com"},
		"recipients": fixture.Array{fixture.Object{"email": "ada@example.org"}},
		"config":     fixture.Array{"separate", "unsubscribe"},
	})
	id, _ := sent.Body["id"].(string)
	p := browser.Open(t, s.URL()+"/_local/#/outbox/"+id)
	p.Await(`document.querySelector(".unsubscribe a")?.textContent.includes("/unsubscribe/fdu_")`)
	p.Click(".unsubscribe button")
	const did = `document.querySelector(".unsubscribe [role=status]").textContent`
	p.Await(did + `.startsWith("Unsubscribed, by the request ")`)
	all, err := unsubscribe.Store{Table: s.Table}.All(t.Context(), key.ID, unsubscribe.Query{})
	if err != nil {
		t.Fatal(err)
	}
	expect.Len(t, all, 1, "who has left")
	p.Click(".unsubscribe [role=status] a")
	p.Await(`document.body.innerText.includes("TransactWriteItems")`)
	if said := browsertest.Eval[string](p, "document.body.innerText"); !strings.Contains(said, "/unsubscribe/fdu_") {
		t.Errorf("the request is shown as %.300s", said)
	}
}
