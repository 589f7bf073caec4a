package browsertest

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/develop/local/processes"

	"github.com/chromedp/chromedp"
)

// axeCore finds barriers that keep people from using a page.
//
//go:embed npm
var axeCore embed.FS

// Axe checks pages with axe-core, by the rules of WCAG 2.2 AA and by best practices.
type Axe struct{ source string }

// NewAxe installs axe-core from npm, below .local in the project's folder.
func NewAxe(t testing.TB, root string) Axe {
	t.Helper()
	locked, err := fs.Sub(axeCore, "npm")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := processes.InstallModules(t.Context(), filepath.Join(root, ".local", "axe"), locked)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return Axe{string(source)}
}

// Check fails the test for each rule that the page breaks in its current state. It leaves out frames, whose content is
// not the page's.
func (a Axe) Check(p *Page, what string) {
	p.t.Helper()
	a.check(p, what, "")
}

// CheckColors is [Axe.Check] for rules about colours, on a page that was already checked in other colours.
func (a Axe) CheckColors(p *Page, what string) {
	p.t.Helper()
	a.check(p, what, `, runOnly: ["color-contrast", "link-in-text-block"]`)
}

func (a Axe) check(p *Page, what, options string) {
	p.t.Helper()
	if !Eval[bool](p, "Boolean(window.axe)") {
		run(p, "load axe-core", chromedp.Evaluate[any](a.source+"; null"))
	}
	// Swagger UI's animations know no reduced motion. They are finished first, so that colours have their final values.
	found := run(p, "run axe-core", chromedp.Evaluate[[]string](`
		document.getAnimations().forEach((one) => one.finish())
		axe.run({iframes: false, resultTypes: ["violations"]`+options+`}).then(({violations}) =>
			violations.flatMap(({id, nodes}) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary)))
		`, chromedp.EvalAwaitPromise))
	for _, violation := range found {
		p.t.Errorf("%s: %s", what, violation)
	}
}
