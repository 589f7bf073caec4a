package docs_test

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"

	"github.com/chromedp/chromedp/kb"
)

// open opens the docs page of a stack, and waits until it shows every endpoint.
func open(t *testing.T, browser *browsertest.Browser, address string) *browsertest.Page {
	t.Helper()
	p := browser.Open(t, address+"/docs")
	await(t, p)
	return p
}

// await waits until a page shows every endpoint, and records what its content security policy refuses.
func await(t *testing.T, p *browsertest.Page) {
	t.Helper()
	browsertest.Eval[any](p, `(refused = [], addEventListener("securitypolicyviolation", `+
		`(e) => refused.push(e.blockedURI + " " + e.violatedDirective)), null)`)
	p.Await(`document.querySelectorAll(".opblock").length === ` + strconv.Itoa(len(contracttest.Operations(t))))
}

// mustKeepToItself checks that the page has loaded nothing from elsewhere, and that its policy had nothing to refuse.
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

// tried is the result of trying an endpoint out.
type tried struct{ Operation, Address, Answer string }

// try opens endpoints one after the other, tries each out with the values that the page has filled in, and returns
// the results.
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

// TestEveryEndpointWorksAtTheFirstPressInABrowser tries all endpoints of the local stack from top to bottom, with the
// values that the page has filled in: the credentials of the demo tenant, and the ids of what was created before.
func TestEveryEndpointWorksAtTheFirstPressInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	tenant := stack.NewTenant(t)
	stack.Publish(t, tenant.Portal, true)
	stack.Grant(t, tenant.App.ID, tenant.Portal.Account)
	show(stack, tenant)
	sendNewsletter(t, stack, tenant)
	p := open(t, browser, stack.URL())
	p.Click("#credentials summary")
	p.Await(`document.getElementById("console").checkVisibility()`)
	const all = `[...document.querySelectorAll(".opblock")].map((o) => o.id)`
	operations := browsertest.Eval[[]string](p, all)
	results := try(p, operations[0])
	if err := stack.Lambda().Settle(t.Context()); err != nil { // the event of SES that writes the log of mails
		t.Fatal(err)
	}
	results = append(results, try(p, operations[1:]...)...)
	if len(results) != len(contracttest.Operations(t)) {
		t.Errorf("%d endpoints were tried", len(results))
	}
	for _, r := range results {
		if !strings.HasPrefix(r.Answer, "200") {
			t.Errorf("%s %s: %.500s", r.Operation, r.Address, r.Answer)
		}
	}
	if mails := stack.Outbox().Mails(); len(mails) != 2 { // the newsletter is one of them
		t.Errorf("%d mails were sent", len(mails))
	}

	// A page that is opened later finds what others have created, and suggests no slug or address that is taken.
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
	expect.Lacks(t, kept, tenant.AppToken, "browserKeeps(p)")
	expect.Lacks(t, kept, tenant.MailKeyText, "browserKeeps(p)")
	mustKeepToItself(t, p, stack.URL())
}

// show makes a stack tell its pages a tenant's credentials.
func show(stack *fixture.Stack, tenant fixture.Tenant) {
	stack.Show(console.Shown{Credentials: []console.Credential{
		{Label: "Base URL", Value: stack.URL()}, {Label: "Mail key", Value: tenant.MailKeyText},
		{Label: "Platform token", Value: tenant.AppToken}, {Label: "Agent token", Value: tenant.AgentToken},
	}})
}

// sendNewsletter sends a mail whose recipient can unsubscribe by one click.
func sendNewsletter(t *testing.T, stack *fixture.Stack, tenant fixture.Tenant) {
	t.Helper()
	stack.Call(t, fixture.To("sendMail"), nil, fixture.Object{
		"key": tenant.MailKeyText, "recipients": []fixture.Object{{"email": "grete@example.org"}}, "list": "news",
		"subject": "The news", "text": "Hello.", "config": []string{"separate", "unsubscribe"},
	}).Is(t, 200, fixture.Object{"status": "success"})
	if err := stack.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// browserKeeps returns what a page has stored in the browser.
func browserKeeps(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `JSON.stringify([{...localStorage}, {...sessionStorage}])`)
}

// TestDeployedPageInABrowser tries endpoints with the reader's credentials: a deployed page asks no server for
// credentials, and keeps the reader's for its tab, over a reload. The next endpoint is tried on what the one before has
// created.
func TestDeployedPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	const host = "desk.localhost" // for browsers this machine, for the page a deployment
	stack := fixture.StartBootstraps(t, func(o *local.Options) { o.Hosts = []string{host} })
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

	p.Click("#credentials summary")
	p.Click("#authorize")
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
		"operations-Users-createLoginLink", "operations-Delete-deleteUser") {
		if !strings.HasPrefix(r.Answer, "200") {
			t.Errorf("%s %s: %.500s", r.Operation, r.Address, r.Answer)
		}
	}
	kept := browserKeeps(p)
	expect.HasPrefix(t, kept, "[{},")
	expect.Contains(t, kept, tenant.AppToken)
	mustKeepToItself(t, p, deployed)
	p.Click("#credentials summary")
	if browsertest.Eval[bool](p, `document.getElementById("console").checkVisibility()`) {
		t.Error("a deployed page leads to a console")
	}
	for _, from := range browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((r) => r.name)`) {
		if strings.Contains(from, "_local") {
			t.Errorf("the page asks for %s", from)
		}
	}

	// The index leads to each group, and to what holds for all of them.
	groups := browsertest.Eval[[]string](p, `[...document.querySelectorAll("#groups a")].map((link) =>
		document.getElementById(link.hash.slice(1))?.dataset.tag ?? link.hash)`)
	expect.Equal(t, groups, []string{
		"Mail", "Categories", "Help center", "Users", "Members", "Sign-in", "Delete", "Docs", "#about",
	})
	p.Await(`document.querySelector("#about .info").innerText.includes("Authentication comes before everything else")`)

	// The search, by keyboard alone.
	for _, c := range []struct{ phrase, says, first string }{
		{"login link", " endpoints", "operations-Users-updateUser"},
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

// TestEverybodyCanUseThePageInABrowser: axe-core finds no fault in any state of the page, light and dark, on a screen
// and a phone.
func TestEverybodyCanUseThePageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	tenant := stack.NewTenant(t)
	show(stack, tenant)
	p := open(t, browser, stack.URL())
	axe := browsertest.NewAxe(t, "../../..")
	axe.Check(p, "as it comes")
	for width, height := range map[int64]int64{1280: 900, 390: 844} {
		p.Resize(width, height)
		first := browsertest.Eval[float64](p, `document.querySelector(".opblock").getBoundingClientRect().top`)
		expect.AtMost(t, first, float64(height), fmt.Sprintf("where endpoints begin, %d pixels wide", width))
	}
	p.Resize(1280, 800)
	p.Click("#groups summary")
	p.Click("#credentials summary")
	axe.Check(p, "unfolded")
	answered := []string{"operations-Mail-sendMail", "operations-Categories-listCategories"}
	try(p, answered...)
	for _, operation := range answered {
		toggle(p, operation)
		p.Await(fmt.Sprintf("document.querySelector(%q)", "#"+operation+" .programs"))
	}
	p.Click(".models-control")
	p.Await(`document.querySelector(".models.is-open")`)
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 900)
		axe.Check(p, fmt.Sprintf("with answers, %d pixels wide", width))
		p.Dark(true)
		axe.CheckColors(p, fmt.Sprintf("with answers, %d pixels wide, dark", width))
		p.Dark(false)
		wide := browsertest.Eval[int64](p, "document.documentElement.scrollWidth")
		expect.AtMost(t, wide, width, fmt.Sprintf("the page's width of %d", width))
	}
	p.Click("#authorize")
	p.Await(`document.querySelector(".modal-ux")`)
	axe.Check(p, "the dialog for tokens")
	p.Dark(true)
	axe.CheckColors(p, "the dialog for tokens, dark")
}

// toggle opens an endpoint, or closes it.
func toggle(p *browsertest.Page, operation string) {
	browsertest.Eval[any](p, fmt.Sprintf(`(document.querySelector(%q).click(), null)`,
		"#"+operation+" .opblock-summary-control"))
}

// runs has, for each language, the name of the program's file and the command that runs it.
var runs = map[string]struct {
	file    string
	command []string
}{
	"curl":   {"call.sh", []string{"sh"}},
	"PHP":    {"call.php", []string{"php"}},
	"Node":   {"call.mjs", []string{"node"}},
	"Python": {"call.py", []string{"python3"}},
	"Ruby":   {"call.rb", []string{"ruby"}},
	"Go":     {"call.go", []string{"go", "run"}},
}

// TestProgramsOfThePageInABrowser runs the programs that the page shows, in each language that is installed here. There
// is one request of each shape: a credential in the body, JSON, a form, a query, neither. Programs whose request fails
// show the answer's error, and fail.
func TestProgramsOfThePageInABrowser(t *testing.T) {
	browser := browsertest.Start(t)
	stack := fixture.StartBootstraps(t)
	tenant := stack.NewTenant(t)
	stack.Grant(t, tenant.App.ID, tenant.Portal.Account)
	show(stack, tenant)
	sendNewsletter(t, stack, tenant)
	p := open(t, browser, stack.URL())
	try(p, "operations-Categories-createCategory", "operations-Users-createUser")
	environment := append(os.Environ(), "BASE_URL="+stack.URL(), "MAIL_KEY="+tenant.MailKeyText,
		"PLATFORM_TOKEN="+tenant.AppToken, "AGENT_TOKEN="+tenant.AgentToken)
	strangers := append(slices.Clip(environment), "MAIL_KEY=fdm_0_0", "PLATFORM_TOKEN=fdp_0_0")
	for operation, says := range map[string]string{
		"operations-Mail-sendMail":                    `"status":"success"`,
		"operations-Mail-createUnsubscribe":           "no more mails",
		"operations-Categories-updateCategoryByPatch": `"name":"First steps"`,
		"operations-Members-createMember":             `"user_id":`,
		"operations-Delete-deleteMember":              "{}",
	} {
		toggle(p, operation)
		p.Await(`document.querySelector(".programs pre")`)
		for _, language := range slices.Sorted(maps.Keys(runs)) {
			run := runs[language]
			if _, err := exec.LookPath(run.command[0]); err != nil {
				t.Logf("%s is not installed: its program was not run", run.command[0])
				continue
			}
			browsertest.Eval[any](p, fmt.Sprintf(`([...document.querySelectorAll(".languages button")]`+
				`.find((button) => button.textContent === %q).click(), null)`, language))
			p.Await(fmt.Sprintf(`document.querySelector(".languages [aria-pressed=true]").innerText === %q`, language))
			program := browsertest.Eval[string](p, `document.querySelector(".programs pre").textContent`)
			start := func(program string, environment []string) (string, error) {
				file := filepath.Join(t.TempDir(), run.file)
				if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(run.command[0], append(run.command[1:], file)...)
				cmd.Env = environment
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			out, err := start(program, environment)
			if err != nil || !strings.Contains(out, says) {
				t.Errorf("%s in %s: %v\n%s\nprinted %s", operation, language, err, program, out)
			}
			fails := func(why, program string, environment []string, says string) {
				out, err := start(program, environment)
				if err == nil || !strings.Contains(out, says) || strings.Contains(out, "Traceback") {
					t.Errorf("%s in %s, %s: %v\n%s\nprinted %s", operation, language, why, err, program, out)
				}
			}
			switch operation {
			case "operations-Mail-sendMail":
				fails("with a bad key", program, strangers, "is not a valid API key")
				if language != "curl" { // it knows no status but HTTP's
					fails("to nobody", strings.ReplaceAll(program, "@", "."), environment, "it has no @")
				}
			case "operations-Members-createMember":
				fails("with a bad token", program, strangers, "is missing or not valid")
			}
		}
		toggle(p, operation)
		p.Await(`!document.querySelector(".programs")`)
	}
}
