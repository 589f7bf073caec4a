package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/local/npm"

	"github.com/chromedp/chromedp"
)

// axeVersion is that of axe-core, which looks for what keeps people from using a page.
const axeVersion = "4.14.1"

// Axe looks at pages with axe-core, by the rules of WCAG 2.2 AA and its best practices.
type Axe struct{ source string }

// NewAxe has axe-core from npm, under .local of the project's folder.
func NewAxe(t testing.TB, root string) Axe {
	t.Helper()
	folder, err := npm.Install(t.Context(), root, "axe-core", axeVersion)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(folder, "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return Axe{string(source)}
}

// Check fails the test for each rule that the page breaks as it is seen now. Frames are left out: what is in them is
// not the page's.
func (a Axe) Check(p *Page, what string) {
	p.t.Helper()
	if !Eval[bool](p, "Boolean(window.axe)") {
		run(p, "load axe-core", chromedp.Evaluate[any](a.source+"; null"))
	}
	// Colours that change gradually are those at the end.
	Eval[any](p, `(document.getAnimations().forEach((one) => one.finish()), window.found = null,
		axe.run({iframes: false}).then(({violations}) => {
		window.found = violations.flatMap(({id, nodes}) => nodes.map((node) => id + ": " + node.html + " " +
			node.failureSummary)) }, (error) => { window.found = ["axe-core: " + error] }), null)`)
	p.Await("window.found")
	for _, violation := range Eval[[]string](p, "window.found") {
		p.t.Errorf("%s: %s", what, violation)
	}
}
