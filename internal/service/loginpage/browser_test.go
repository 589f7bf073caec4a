package loginpage_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"

	"github.com/chromedp/chromedp/kb"
)

const email = "ada.lovelace+desk@example.org"

// stack is a running stack with a user, and with the app that gets login links for the user.
type stack struct {
	*fixture.Stack
	token string // of the app
	user  id.ID
}

func start(t *testing.T) *stack {
	t.Helper()
	s := &stack{Stack: fixture.StartBootstraps(t)}
	app, token, err := platformapp.Store{Table: s.Table}.Create(context.Background(), platformapp.App{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	service := user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	ada, err := service.Create(context.Background(), app.ID, user.Details{
		Name: "Ada <b>Lovelace</b>", Email: email, Password: fixture.Password,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.token, s.user = token, ada.ID
	return s
}

// link returns a new login link. FRONTEND_URL is not set, so it leads to this page.
func (s *stack) link(t *testing.T) string {
	t.Helper()
	to, header := fixture.To("createLoginLink", s.user), http.Header{"Authorization": {"Bearer " + s.token}}
	link, _ := s.Call(t, to, header, nil).Body["url"].(string)
	if !strings.HasPrefix(link, s.URL()+"/app/login?") {
		t.Fatalf("link %q", link)
	}
	return link
}

// TestLoginPageInABrowser opens the page in Chromium. The cases share one stack and one browser, which start slowly.
func TestLoginPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	s := start(t)
	for name, test := range map[string]func(*testing.T, *stack, *browsertest.Browser){
		"by the keyboard, once": testSignIn,
		"a connection is lost":  testLostConnection,
		"a hostile link":        testHostileLink,
		"no link at all":        testNoLink,
	} {
		t.Run(name, func(t *testing.T) { test(t, s, browser) })
	}
}

// JavaScript that is true while a part of the page is shown.
const (
	asking = `!document.getElementById("asking").hidden`
	done   = `!document.getElementById("done").hidden`
	spent  = `!document.getElementById("spent").hidden`
	none   = `!document.getElementById("none").hidden`
)

func text(p *browsertest.Page, id string) string {
	return browsertest.Eval[string](p, `document.getElementById("`+id+`").textContent`)
}

// focused returns the text of the element that has the focus.
func focused(p *browsertest.Page) string {
	return browsertest.Eval[string](p, "document.activeElement.textContent")
}

// testSignIn shows that opening a link does not spend it. The button signs in, and the page shows the token once.
func testSignIn(t *testing.T, s *stack, browser *browsertest.Browser) {
	link := s.link(t)
	for range 2 { // like a program that scans mails
		browser.Open(t, link).Await(asking)
	}

	p := browser.Open(t, link)
	p.Await(asking)
	if got := text(p, "whose"); got != email {
		t.Errorf("it is %q's", got)
	}
	if left := browsertest.Eval[string](p, "location.search + location.hash"); left != "" {
		t.Errorf("the address bar has %q", left)
	}
	p.Go("about:blank")
	p.Go(link)
	p.Await(asking)
	p.Reload()
	p.Await(asking)
	p.Press(kb.Tab)
	if at := focused(p); at != "Sign in" {
		t.Fatalf("the first stop of the Tab key is %q", at)
	}
	p.Press(kb.Enter)
	p.Await(done)
	name, address, at := text(p, "name"), text(p, "email"), focused(p)
	expect.Equal(t, name, "Ada <b>Lovelace</b>")
	expect.Equal(t, address, email)
	expect.Equal(t, at, "You are signed in")
	token := text(p, "token")
	expect.Equal(t, s.TakesToken(t, token, s.user), true, "the token is good")
	p.Press(kb.Tab) // the token
	p.Press(kb.Tab)
	p.Press(kb.Enter)
	p.Await(`document.getElementById("copy").textContent === "Copied"`)
	if selected := browsertest.Eval[string](p, "String(getSelection())"); selected != token {
		t.Errorf("selected is %q", selected)
	}
	p.Reload()
	p.Await(none)
	if browsertest.Eval[bool](p, `document.body.textContent.includes("fda_")`) {
		t.Error("the token is shown a second time")
	}

	p.Go("about:blank")
	p.Go(link)
	p.Click("#form button")
	p.Await(spent)
	said := browsertest.Eval[string](p, "document.body.innerText")
	expect.Contains(t, said, "used up, or too old")
	expect.Lacks(t, said, "fda_")
}

// testLostConnection shows that a failed request can be tried again with the same link.
func testLostConnection(t *testing.T, s *stack, browser *browsertest.Browser) {
	p := browser.Open(t, s.link(t))
	p.Await(asking)
	replaceFetch := func(with string) { browsertest.Eval[any](p, "(window.fetch = "+with+", null)") }
	browsertest.Eval[any](p, `(kept = window.fetch, null)`)
	replaceFetch(`() => Promise.reject(new TypeError("Failed to fetch"))`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("try again")`)
	replaceFetch(`async () => new Response('{"message":"Too Many Requests"}', { status: 429 })`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("Too many people")`)
	replaceFetch(`async () => new Response('{"message":"Internal Server Error"}', { status: 500 })`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("on our side")`)
	replaceFetch(`kept`)
	p.Click("#form button")
	p.Await(done)
}

// testHostileLink shows that an address is shown as text, whatever it contains. A malformed one is not shown.
func testHostileLink(t *testing.T, s *stack, browser *browsertest.Browser) {
	p := browser.Open(t, "about:blank")
	for name, address := range hostile {
		p.Go("about:blank")
		query := url.Values{"email": {address}, "sso_auth_token": {"<img src=x onerror=hacked=1>"}}
		p.Go(s.URL() + "/app/login?" + query.Encode())
		p.Await(asking + " || " + none)
		if browsertest.Eval[bool](p, asking) {
			if got := text(p, "whose"); got != address {
				t.Errorf("%s: shown as %q", name, got)
			}
			p.Click("#form button")
			p.Await(spent)
		}
		if browsertest.Eval[bool](p, `typeof hacked !== "undefined" || document.images.length > 0 || `+
			`document.scripts.length !== 1`) {
			t.Errorf("%s: it ran", name)
		}
	}
}

// testNoLink shows what a visitor without a usable link sees.
func testNoLink(t *testing.T, s *stack, browser *browsertest.Browser) {
	p := browser.Open(t, "about:blank")
	for name, query := range map[string]string{
		"nothing":              "",
		"no token":             "?email=ada@example.org",
		"an empty token":       "?email=ada@example.org&sso_auth_token=",
		"no address":           "?sso_auth_token=fdl_1_2",
		"an address with none": "?email=ada&sso_auth_token=fdl_1_2",
		"white space":          "?email=a%20b@example.org&sso_auth_token=fdl_1_2",
		"a very long address":  "?email=" + strings.Repeat("a", 300) + "@example.org&sso_auth_token=fdl_1_2",
	} {
		p.Go("about:blank")
		p.Go(s.URL() + "/app/login" + query)
		p.Await(none)
		if title := browsertest.Eval[string](p, "document.title"); title != "There is no login link here" {
			t.Errorf("%s: %q", name, title)
		}
	}
}
