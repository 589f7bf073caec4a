package loginpage_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/browsertest"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/table"
	"frontdesk/internal/user"

	"github.com/chromedp/chromedp/kb"
)

const email = "ada.lovelace+desk@example.org"

// desk is a running stack with a user and the app that gets links for her.
type desk struct {
	stack *local.Stack
	table table.Table
	token string // of the app
	user  id.ID
}

func open(t *testing.T) *desk {
	t.Helper()
	stack := localtest.Start(t)
	d := &desk{stack: stack, table: table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])}
	app, token, err := user.Apps{Table: d.table}.Create(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	service := user.Service{Table: d.table}
	ada, err := service.Create(context.Background(), app.ID, user.Details{Name: "Ada <b>Lovelace</b>", Email: email, Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	d.token, d.user = token, ada.ID
	return d
}

// link is a new login link, as the API gives it: FRONTEND_URL is not set.
func (d *desk) link(t *testing.T) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, d.stack.URL()+"/platform/api/v1/users/"+d.user.String()+"/login", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.token)
	response, err := contracttest.Client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ URL string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(answer.URL, d.stack.URL()+"/app/login?") {
		t.Fatalf("link %q", answer.URL)
	}
	return answer.URL
}

func TestLoginPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	d := open(t)
	for name, test := range map[string]func(*testing.T, *desk, *browsertest.Browser){
		"by the keyboard, once": testSignIn,
		"a connection is lost":  testLostConnection,
		"a hostile link":        testHostileLink,
		"no link at all":        testNoLink,
	} {
		t.Run(name, func(t *testing.T) { test(t, d, browser) })
	}
}

const (
	asking = `!document.getElementById("asking").hidden`
	done   = `!document.getElementById("done").hidden`
	spent  = `!document.getElementById("spent").hidden`
	none   = `!document.getElementById("none").hidden`
)

func text(p *browsertest.Page, id string) string {
	return browsertest.Eval[string](p, `document.getElementById("`+id+`").textContent`)
}

// testSignIn: to open a link uses nothing up, whoever opens it. Its button signs in, and shows the token once.
func testSignIn(t *testing.T, d *desk, browser *browsertest.Browser) {
	link := d.link(t)
	for range 2 { // as a program does that looks for harm
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
	if at := browsertest.Eval[string](p, "document.activeElement.textContent"); at != "Sign in" {
		t.Fatalf("the first stop of the Tab key is %q", at)
	}
	p.Press(kb.Enter)
	p.Await(done)
	if name, address, at := text(p, "name"), text(p, "email"), browsertest.Eval[string](p, "document.activeElement.textContent"); name != "Ada <b>Lovelace</b>" || address != email || at != "You are signed in" {
		t.Errorf("signed in %q, %q; the focus is on %q", name, address, at)
	}
	token := text(p, "token")
	if who, err := (user.Tokens{Table: d.table}).Authenticate(t.Context(), token); err != nil || who != d.user {
		t.Errorf("token %q is of %d: %v", token, who, err)
	}
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
	if said := browsertest.Eval[string](p, "document.body.innerText"); !strings.Contains(said, "used up, or too old") || strings.Contains(said, "fda_") {
		t.Errorf("it says %q", said)
	}
}

// testLostConnection: what did not come through can be tried again.
func testLostConnection(t *testing.T, d *desk, browser *browsertest.Browser) {
	p := browser.Open(t, d.link(t))
	p.Await(asking)
	browsertest.Eval[any](p, `(kept = window.fetch, window.fetch = () => Promise.reject(new TypeError("Failed to fetch")), null)`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("try again")`)
	browsertest.Eval[any](p, `(window.fetch = async () => new Response('{"message":"Too Many Requests"}', { status: 429 }), null)`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("Too many people")`)
	browsertest.Eval[any](p, `(window.fetch = async () => new Response('{"message":"Internal Server Error"}', { status: 500 }), null)`)
	p.Click("#form button")
	p.Await(`document.getElementById("problem").textContent.includes("on our side")`)
	browsertest.Eval[any](p, `(window.fetch = kept, null)`)
	p.Click("#form button")
	p.Await(done)
}

// testHostileLink: an address is text, whatever it holds; one that is none is not asked about.
func testHostileLink(t *testing.T, d *desk, browser *browsertest.Browser) {
	p := browser.Open(t, "about:blank")
	for name, address := range hostile {
		p.Go("about:blank")
		p.Go(d.stack.URL() + "/app/login?" + url.Values{"email": {address}, "sso_auth_token": {"<img src=x onerror=hacked=1>"}}.Encode())
		p.Await(asking + " || " + none)
		if browsertest.Eval[bool](p, asking) {
			if got := text(p, "whose"); got != address {
				t.Errorf("%s: shown as %q", name, got)
			}
			p.Click("#form button")
			p.Await(spent)
		}
		if browsertest.Eval[bool](p, `typeof hacked !== "undefined" || document.images.length > 0 || document.scripts.length !== 1`) {
			t.Errorf("%s: it ran", name)
		}
	}
}

func testNoLink(t *testing.T, d *desk, browser *browsertest.Browser) {
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
		p.Go(d.stack.URL() + "/app/login" + query)
		p.Await(none)
		if title := browsertest.Eval[string](p, "document.title"); title != "There is no login link here" {
			t.Errorf("%s: %q", name, title)
		}
	}
}
