package docs_test

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/local/browsertest"
	"frontdesk/internal/local/console"
	"frontdesk/internal/local/localtest"

	"github.com/chromedp/chromedp/kb"
)

// open opens the page of a stack, and waits until it shows every endpoint.
func open(t *testing.T, browser *browsertest.Browser, address string) *browsertest.Page {
	t.Helper()
	p := browser.Open(t, address+"/docs")
	await(t, p)
	return p
}

// await waits until a page shows every endpoint, and watches what its policy refuses.
func await(t *testing.T, p *browsertest.Page) {
	t.Helper()
	browsertest.Eval[any](p, `(refused = [], addEventListener("securitypolicyviolation", `+
		`(e) => refused.push(e.blockedURI + " " + e.violatedDirective)), null)`)
	p.Await(`document.querySelectorAll(".opblock").length === ` + strconv.Itoa(len(routes(t))))
}

// mustKeepToItself: the page has loaded nothing from elsewhere, and its policy had nothing to refuse.
func mustKeepToItself(t *testing.T, p *browsertest.Page, address string) {
	t.Helper()
	if refused := browsertest.Eval[[]string](p, "refused"); len(refused) > 0 {
		t.Errorf("the policy refused %q", refused)
	}
	for _, from := range browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((r) => r.name)`) {
		if !strings.HasPrefix(from, address+"/") && !strings.HasPrefix(from, "data:") {
			t.Errorf("the page loads %s", from)
		}
	}
}

// tried is what came of an endpoint.
type tried struct{ Operation, Address, Answer string }

// try opens endpoints one after the other, has each tried out as it is, and waits for what comes of it.
func try(p *browsertest.Page, operations ...string) (all []tried) {
	for _, id := range operations {
		browsertest.Eval[any](p, fmt.Sprintf(`(window.tried = null, (async (id) => {
			const find = (selector) => document.getElementById(id)?.querySelector(selector)
			const until = async (look) => {
				while (!look()) await new Promise((f) => setTimeout(f, 10))
				return look()
			}
			find(".opblock-summary-control").click()
			const button = await until(() => find(".try-out__btn"))
			if (!button.classList.contains("cancel")) button.click()
			await until(() => find(".btn.execute"))
			await new Promise((f) => setTimeout(f, 50)) // the fields are filled in
			find(".btn.execute").click()
			const answer = await until(() => find(".live-responses-table tbody") ?? find(".invalid"))
			const done = {operation: id, address: find(".request-url pre")?.innerText ?? "", answer: answer.innerText}
			find(".opblock-summary-control").click()
			await until(() => !find(".opblock-body"))
			return done
		})(%q).then((done) => { window.tried = done }), null)`, id))
		p.Await("window.tried")
		all = append(all, browsertest.Eval[tried](p, "window.tried"))
	}
	return all
}

// TestEveryEndpointWorksAtTheFirstPressOnTheLocalStack, as the page has filled it in: with the credentials of the demo
// tenant, and on what was created before. Those that delete are pressed last.
func TestEveryEndpointWorksAtTheFirstPressOnTheLocalStack(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.Start(t)
	tenant := stack.NewTenant(t)
	stack.Publish(t, tenant.Portal, true)
	stack.Grant(t, tenant.App.ID, tenant.Portal.Account)
	stack.Show(console.Shown{Credentials: []console.Credential{
		{Label: "Base URL", Value: stack.URL()}, {Label: "Mail key", Value: tenant.MailKeyText},
		{Label: "Platform token", Value: tenant.AppToken}, {Label: "Agent token", Value: tenant.AgentToken},
	}})
	p := open(t, browser, stack.URL())
	const all = `[...document.querySelectorAll(".opblock")].map((o) => o.id)`
	var operations, deleting []string
	for _, id := range browsertest.Eval[[]string](p, all) {
		if strings.Contains(id, "-delete") {
			deleting = slices.Insert(deleting, 0, id) // what is of a user before the user
		} else {
			operations = append(operations, id)
		}
	}
	results := try(p, operations[0])
	localtest.WaitLog(t, stack.Stack, `"mail event"`) // until then there is no such mail
	results = append(results, try(p, append(operations[1:], deleting...)...)...)
	if len(results) != len(routes(t)) {
		t.Errorf("%d endpoints were tried", len(results))
	}
	for _, r := range results {
		want := "200"
		if strings.Contains(r.Address, "/unsubscribe/") {
			want = "404" // a recipient alone has a good address
		}
		if !strings.HasPrefix(r.Answer, want) {
			t.Errorf("%s %s: %.500s", r.Operation, r.Address, r.Answer)
		}
	}
	if mails := stack.Outbox().Mails(); len(mails) != 1 {
		t.Errorf("%d mails were sent", len(mails))
	}

	// A page that is opened later knows of what others have made, and takes nothing that they have.
	for _, operations := range [][]string{
		{"operations-Categories-createCategory", "operations-Users-createUser"},
		{
			"operations-Mail-getMail", "operations-Categories-reorderCategories", "operations-Users-getUser",
			"operations-Help_center-getPublicCategory", "operations-Categories-createCategory",
		},
	} {
		p.Reload()
		await(t, p)
		for _, r := range try(p, operations...) {
			if !strings.HasPrefix(r.Answer, "200") {
				t.Errorf("later, %s %s: %.500s", r.Operation, r.Address, r.Answer)
			}
		}
	}
	kept := browserKeeps(p)
	expect.Lacks(t, "browserKeeps(p)", kept, tenant.AppToken)
	expect.Lacks(t, "browserKeeps(p)", kept, tenant.MailKeyText)
	mustKeepToItself(t, p, stack.URL())
}

// browserKeeps is what a page has stored in the browser.
func browserKeeps(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `JSON.stringify([{...localStorage}, {...sessionStorage}])`)
}

// TestDeployedPageTriesEndpointsWithTheReadersCredentials: it asks nobody for others, and keeps those for its tab, over
// a reload. What was created is what the next endpoint is tried on.
func TestDeployedPageTriesEndpointsWithTheReadersCredentials(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	const host = "desk.localhost" // which browsers know to be this machine, and the page does not
	stack := fixture.Start(t, func(o *local.Options) { o.Hosts = []string{host} })
	tenant := stack.NewTenant(t)
	stack.Show(console.Shown{Credentials: []console.Credential{{Label: "Platform token", Value: tenant.AppToken}}})
	address, err := url.Parse(stack.URL())
	if err != nil {
		t.Fatal(err)
	}
	deployed := fmt.Sprintf("http://%s:%s", host, address.Port())
	p := open(t, browser, deployed)
	if got := try(p, "operations-Users-listUsers"); !strings.HasPrefix(got[0].Answer, "401") {
		t.Errorf("without a token: %v", got)
	}

	p.Click(".btn.authorize")
	const field = `[...document.querySelectorAll(".auth-container")].find((c) => c.textContent.includes("fdp_"))`
	p.Await(field)
	browsertest.Eval[any](p, `(`+field+`.querySelector("input").focus(), null)`)
	p.Insert(tenant.AppToken)
	browsertest.Eval[any](p, `(`+field+`.querySelector("button.authorize").click(), null)`)
	p.Await(field + `.textContent.includes("Logout")`)
	p.Await(`document.querySelector("#operations-Users-listUsers [aria-label$='button locked']")`)
	p.Press(kb.Escape)
	p.Await(`!document.querySelector(".modal-ux")`)
	p.Reload()
	await(t, p)
	for _, r := range try(p, "operations-Users-createUser", "operations-Users-getUser", "operations-Users-updateUser",
		"operations-Users-createLoginLink", "operations-Users-deleteUser") {
		if !strings.HasPrefix(r.Answer, "200") {
			t.Errorf("%s %s: %.500s", r.Operation, r.Address, r.Answer)
		}
	}
	kept := browserKeeps(p)
	expect.HasPrefix(t, "kept", kept, "[{},")
	expect.Contains(t, "kept", kept, tenant.AppToken)
	mustKeepToItself(t, p, deployed)
	for _, from := range browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((r) => r.name)`) {
		if strings.Contains(from, "_local") {
			t.Errorf("the page asks for %s", from)
		}
	}

	// The search, by keyboard alone.
	for _, c := range []struct{ phrase, says, first string }{
		{"login link", "7 endpoints", "operations-Users-updateUser"},
		{"getuser", "1 endpoint", "operations-Users-getUser"},
		{"post reorder", "1 endpoint", "operations-Categories-reorderCategories"},
		{"wombat", "No endpoint has “wombat”.", ""},
		{"", "", "operations-Mail-sendMail"},
	} {
		p.Press("/")
		browsertest.Eval[any](p, `(document.activeElement.select(), null)`)
		if c.phrase == "" {
			p.Press(kb.Delete)
		} else {
			p.Insert(c.phrase)
		}
		p.Await(`document.activeElement.id === "search"`)
		p.Await(fmt.Sprintf(`(document.querySelector(".opblock")?.id ?? "") === %q`, c.first))
		p.Await(fmt.Sprintf(`document.getElementById("found").textContent.includes(%q)`, c.says))
		browsertest.Eval[any](p, `(document.activeElement.blur(), null)`)
	}
}
