package docs_test

import (
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/fixture"
	"frontdesk/internal/local/browsertest"

	"github.com/chromedp/chromedp/kb"
)

// TestEndpointsAreTriedInABrowser: with a token, and with a body, against the stack that serves the page. The
// page loads nothing from elsewhere, and its policy has nothing to refuse.
func TestEndpointsAreTriedInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	stack := fixture.Start(t)
	tenant := stack.NewTenant(t)
	p := browser.Open(t, stack.URL()+"/docs")
	browsertest.Eval[any](p, `(refused = [], addEventListener("securitypolicyviolation", `+
		`(e) => refused.push(e.blockedURI + " " + e.violatedDirective)), null)`)
	p.Await(`document.querySelectorAll(".opblock").length === ` + strconv.Itoa(len(routes(t))))

	p.Click(".btn.authorize")
	p.Await(`document.querySelector(".modal-ux")`)
	const field = `[...document.querySelectorAll(".auth-container")].find((c) => c.textContent.includes("fda_"))`
	p.Await(field)
	browsertest.Eval[any](p, `(`+field+`.querySelector("input").focus(), null)`)
	p.Insert(tenant.AgentToken)
	browsertest.Eval[any](p, `(`+field+`.querySelector("button.authorize").click(), null)`)
	p.Await(field + `.textContent.includes("Logout")`)
	p.Press(kb.Escape)
	p.Await(`!document.querySelector(".modal-ux")`)

	mail := `{"key":"` + tenant.MailKeyText + `","recipients":[{"email":"ada@example.org"}],"text":"Hello"}`
	for _, try := range []struct{ operation, body, want string }{
		{"operations-Categories-listCategories", "", `"categories_count": 0`},
		{"operations-Categories-createCategory", "", `"slug": "getting-started"`},
		{"operations-Mail-sendMail", mail, `"status": "success"`},
		{"operations-Docs-getContract", "", `"title": "frontdesk"`},
	} {
		box := "#" + try.operation
		p.Click(box + " .opblock-summary-control")
		p.Click(box + " .try-out__btn")
		if try.body != "" {
			p.Click(box + " textarea.body-param__text")
			browsertest.Eval[any](p, `(document.querySelector("`+box+` textarea").select(), null)`)
			p.Insert(try.body)
		}
		p.Click(box + " .btn.execute")
		p.Await(`document.querySelector("` + box + ` .live-responses-table .response-col_status")`)
		answer := browsertest.Eval[string](p, `document.querySelector("`+box+` .live-responses-table tbody").innerText`)
		if !strings.HasPrefix(answer, "200") || !strings.Contains(answer, try.want) {
			t.Errorf("%s: %.500s", try.operation, answer)
		}
		p.Click(box + " .opblock-summary-control")
	}
	if n := len(stack.Outbox().Mails()); n != 1 {
		t.Errorf("%d mails were sent", n)
	}

	if refused := browsertest.Eval[[]string](p, "refused"); len(refused) > 0 {
		t.Errorf("the policy refused %q", refused)
	}
	for _, from := range browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((r) => r.name)`) {
		if !strings.HasPrefix(from, stack.URL()+"/") && !strings.HasPrefix(from, "data:") {
			t.Errorf("the page loads %s", from)
		}
	}
}
