package local_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/browsertest"

	"github.com/chromedp/chromedp/kb"
)

// testTable stays on one page throughout, which is loaded anew only for deep links.
func testTable(t *testing.T, browser *browsertest.Browser) {
	s := startStack(t)
	var many []string
	for i := range 60 {
		many = append(many, stored("MANY#1", fmt.Sprintf("ONE#%03d", i), `,"list":{"L":[{"S":"<b>one</b>"}]}`))
	}
	store(t, s, append(many, desk...)...)
	s.Show(console.Shown{Kinds: map[string]string{"USER#/USER": "person"}})

	user := url.Values{"kind": {"USER#/USER"}, "pk": {"USER#0123456789012345"}, "sk": {"USER"}}.Encode()
	p := browser.Open(t, s.URL()+"/_local/#/table/?"+user)
	has := func(selector, text string) {
		t.Helper()
		p.Await(fmt.Sprintf(`document.querySelector(%q)?.innerText.replace(/\s+/g, " ").includes(%q)`, selector, text))
	}
	has("#kind-list [aria-current]", "person USER#/USER 1")
	has("#item-list [aria-current]", "USER#0123456789012345 USER")
	has("#item-title", "person")
	p.Await(`document.activeElement.id === "item-title"`)
	has("#item", "عائشة")
	has("#item", "created_at string Jan 2, 2026")
	p.Await(`document.querySelector(".attributes div:last-child [dir=auto].value").textContent === "عائشة"`)

	// Links lead to the next item. Stored hashes of secrets are named as such.
	p.Click(`.attributes a[title="EMAIL#ada@example.org EMAIL"]`)
	has("#item", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA hash")
	has("#item-list [aria-current]", "EMAIL#ada@example.org")
	p.Click(`.related a[href*="TOKEN"]`)
	has("#item", "(32 bytes) hash")
	has("#item", "1700000000 expired")
	p.Await(`document.querySelectorAll("#item .chip").length === 3`) // in the sort key, too
	p.Await(`document.querySelector(".attributes a").title === "USER#0123456789012345 USER"`)

	// The list scrolls to the row of the shown item, even if that is on the next page.
	p.Click(`#kind-list li[data-key="MANY#/ONE#"] a`)
	p.Await(`document.querySelectorAll("#item-list li").length === 50`)
	p.Click("#next-items")
	p.Await(`document.querySelectorAll("#item-list li").length === 10`)
	p.Click("#first-items")
	p.Await(`document.querySelectorAll("#item-list li").length === 50`)
	inView := `(() => { const row = document.querySelector("#item-list [aria-current]")?.getBoundingClientRect();
		const list = document.querySelector("#item-list").getBoundingClientRect();
		return row && row.top >= list.top - 1 && row.bottom <= list.bottom + 1 && row.height > 0 })()`
	for _, row := range []struct {
		name string
		rows int
	}{{"ONE#040", 50}, {"ONE#055", 51}} {
		p.Go("about:blank")
		query := url.Values{"kind": {"MANY#/ONE#"}, "pk": {"MANY#1"}, "sk": {row.name}}
		p.Go(s.URL() + "/_local/#/table/?" + query.Encode())
		has("#item-list [aria-current]", row.name)
		p.Await(fmt.Sprintf(`document.querySelectorAll("#item-list li").length === %d && %s`, row.rows, inView))
	}
	has(".related", "In its partition MANY#1")
	has("#item", "<b>one</b>")
	p.Click(`#item .views a[href*="view=raw"]`)
	has("#item-body pre", `"SK": { "S": "ONE#055" }`)

	// The screen follows the table, and keeps the focus.
	p.Go(s.URL() + "/_local/#/table/?" + user)
	has("#item-list [aria-current]", "USER#0123456789012345 USER")
	p.Await(`document.activeElement.id === "item-title"`)
	p.Press(kb.Escape)
	p.Await(`document.activeElement.matches("#item-list a")`)
	store(t, s, stored("USER#0123456789012345", "USER", `,"name":{"S":"renamed"}`), stored("NEW#1", "NEW", ``))
	has("#item", "name string renamed")
	has("#item-list", "renamed")
	has("#kind-list", "NEW#/NEW 1")
	p.Await(`document.activeElement.matches("#item-list a")`)

	testTableByKeyboard(t, p)
	testTableOnEveryWidth(p, s.URL()+"/_local/#/table/?"+user)
}

// testTableByKeyboard walks from the kinds to the items and to one item's attributes, and back.
func testTableByKeyboard(t *testing.T, p *browsertest.Page) {
	step := func(key, selector, text string) {
		t.Helper()
		p.Press(key)
		p.Await(fmt.Sprintf(`document.activeElement.matches(%q) &&
			(document.activeElement.innerText + document.activeElement.placeholder).includes(%q)`, selector, text))
		if !browsertest.Eval[bool](p, `document.activeElement.matches(":focus-visible")`) {
			t.Errorf("the focus on %s is not to be seen", selector)
		}
	}
	step(kb.Escape, "#kind-list a", "person")
	step(kb.Home, "#kind-list a", "All items")
	step(kb.ArrowDown, "#kind-list a", "APP#/APP")
	step(kb.Enter, "#kind-list a[aria-current]", "APP#/APP")
	p.Await(`document.querySelector("#item-list").innerText.startsWith("APP#")`)
	step(kb.Tab, "#item-filter", "Find in keys")
	step(kb.Tab, "#item-list a", "APP#0000000000000007")
	step(kb.Enter, "#item-title", "APP#/APP")
	step(kb.Tab, ".views a", "Decoded")
	step(kb.Tab, ".views a", "Raw")
	step(kb.Enter, ".views a[aria-current]", "Raw")
	step(kb.Tab, "#item-body", `"BOOL": true`)
	step(kb.Escape, "#item-list a", "APP#0000000000000007")
	p.Go(strings.SplitN(browsertest.Eval[string](p, "location.href"), "?", 2)[0] + "?kind=MANY%23/ONE%23")
	p.Await(`document.querySelectorAll("#item-list li").length === 50`)
	step("jj", "#item-list a", "ONE#001")
	step(kb.Enter, "#item-title", "MANY#/ONE#")
	step("k", "#item-title", "MANY#/ONE#")
	p.Await(`document.querySelector("#item-list [aria-current]").innerText.includes("ONE#000")`)
	p.Go(strings.SplitN(browsertest.Eval[string](p, "location.href"), "?", 2)[0] + "?kind=APP%23/APP")
	p.Await(`document.querySelectorAll("#item-list li").length === 1`)
	browsertest.Eval[any](p, `document.querySelector("#item-filter").focus()`)
	p.Insert("0000007")
	p.Await(`location.hash.includes("q=0000007") && document.querySelectorAll("#item-list li").length === 1`)
	p.Insert("x")
	p.Await(`document.querySelector("#no-items").checkVisibility()`)
}

// testTableOnEveryWidth shows that a wide screen has kinds, items and an item side by side, and that a phone has one of
// them at a time.
func testTableOnEveryWidth(p *browsertest.Page, item string) {
	for _, width := range []int64{1280, 390} {
		p.Resize(width, 844)
		for _, seen := range []struct{ place, part string }{
			{"#/table", ".kind-column"}, {"#/table/?all=1", ".item-column"}, {item, "#item"},
		} {
			browsertest.Eval[any](p, fmt.Sprintf("location.href = %q, 0", seen.place))
			p.Await(fmt.Sprintf(`[".kind-column", ".item-column", "#item"].every((part) =>
				document.querySelector(part).checkVisibility() === (%t || part === %q))`, width == 1280, seen.part))
		}
	}
	p.Click("#item .back")
	p.Click(".item-column .back")
	p.Await(`document.querySelector("#kind-list").checkVisibility()`)
}
