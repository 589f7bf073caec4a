package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byTheClock says of the tests that hang on the speed of the machine, and of their helpers, why they may: by folder and
// name, or by the folder alone. In all others waiting and time limits are simulated.
var byTheClock = map[string]string{
	"develop/local awaitEnd": "the kernel ends a process",
	"develop/local until":    "programs are built, and files have a time of change",
	"develop/local/processes TestChildEndsWithAParentThatIsKilled":    "the kernel ends a process",
	"develop/local/processes TestLockIsWaitedForAsLongAsAnybodyWants": "another process holds a file",
	"develop/local/rebuild TestChangesThatMatter":                     "files have a time of change",
	"operate/frontdesk await":                                         "a terminal",
	"operate/frontdesk awaitFile":                                     "another process writes a file",
	"operate/frontdesk awaitMail":                                     "a killed process starts again",
	"operate/frontdesk paste":                                         "a terminal",
	"operate/frontdesk/commandline TestASecretIsNotShown":             "a terminal",
	"operate/frontdesk/commandline hidden":                            "a terminal",
	"prove/bench":                                                     "measures",
	"prove/bootstraps TestNothingOutlivesItsRequest":                  "the kernel counts the CPU of a process",
	"prove/localtest TestTimeIsSimulated":                             "the clock that is not simulated",
}

// waits are the functions by which a test hangs on the clock.
var waits = []string{
	"time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick", "time.Since",
	"time.Until", "context.WithTimeout", "context.WithDeadline",
}

// TestNoTestHangsOnTheClock looks for waits outside of bubbles, also in the functions that tests call there. It knows
// functions and methods by their names alone.
func TestNoTestHangsOnTheClock(t *testing.T) {
	t.Parallel()
	files, used := token.NewFileSet(), map[string]bool{}
	for folder, paths := range testFiles(t) {
		functions := map[string][]outside{} // by name
		for _, path := range paths {
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					functions[f.Name.Name] = append(functions[f.Name.Name], outsideOf(f.Body))
				}
			}
		}
		for name := range reached(functions) {
			for _, f := range functions[name] {
				for _, wait := range f.waits {
					by := folder + " " + name
					if byTheClock[by] == "" {
						by = folder
					}
					if byTheClock[by] == "" {
						t.Errorf("%s: %s hangs on the clock: call it in localtest.Simulate", files.Position(wait), name)
					}
					used[by] = true
				}
			}
		}
	}
	for by := range byTheClock {
		if !used[by] {
			t.Errorf("%s hangs on no clock", by)
		}
	}
}

// testFiles returns the paths of all tests, by folders below internal.
func testFiles(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			folder, err := filepath.Rel(filepath.Join(root, "internal"), filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			all[folder] = append(all[folder], path)
		}
	}
	return all
}

// outside is what a function does outside of bubbles.
type outside struct {
	waits []token.Pos
	names map[string]bool // of functions, and whatever else it names
}

func outsideOf(body ast.Node) outside {
	o := outside{names: map[string]bool{}}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if called := selector(n.Fun); called == "localtest.Simulate" || called == "synctest.Test" {
				return false
			}
		case *ast.SelectorExpr:
			if slices.Contains(waits, selector(n)) {
				o.waits = append(o.waits, n.Pos())
			}
		case *ast.Ident:
			o.names[n.Name] = true
		}
		return true
	})
	return o
}

// selector returns "package.Name" of such an expression.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// reached returns the names of the functions that tests call outside of bubbles. Benchmarks, and tests in a browser,
// may hang on the clock.
func reached(functions map[string][]outside) map[string]bool {
	next := slices.DeleteFunc(slices.Collect(maps.Keys(functions)), func(name string) bool {
		begins := func(kind string) bool { return strings.HasPrefix(name, kind) }
		isTest := slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, begins)
		return !isTest || strings.HasSuffix(name, "InABrowser")
	})
	all := map[string]bool{}
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if all[name] {
			continue
		}
		all[name] = true
		for _, f := range functions[name] {
			for called := range f.names {
				if functions[called] != nil {
					next = append(next, called)
				}
			}
		}
	}
	return all
}
