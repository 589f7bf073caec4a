package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// escapes are the functions by which a test leaves simulated time: it waits by the machine's clock, or has processes.
var escapes = []string{
	"time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick", "time.Since",
	"time.Until", "context.WithTimeout", "context.WithDeadline",
	"local.Start", "localtest.StartBootstraps", "fixture.StartBootstraps",
}

// TestOnlyWhatIsListedIsNotSimulated compares the tests that escape outside of bubbles with the list in the comment of
// package bootstraps. Those in a browser need not be listed, and benchmarks are no tests. It knows functions and
// methods by their names alone, so a test also has the escapes of another's helpers of the same name.
func TestOnlyWhatIsListedIsNotSimulated(t *testing.T) {
	t.Parallel()
	listed, used := notSimulated(t), map[string]bool{}
	for folder, files := range testFiles(t) {
		functions := map[string][]outside{} // by name
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					functions[f.Name.Name] = append(functions[f.Name.Name], outsideOf(f.Body))
				}
			}
		}
		for name, file := range files {
			for _, test := range testsOf(file) {
				by := escape(functions, test)
				if by == "" {
					continue
				}
				entries := []string{path.Join(folder, test), path.Join(folder, name), folder}
				i := slices.IndexFunc(entries, func(entry string) bool { return listed[entry] })
				if i < 0 {
					t.Errorf("%s calls %s: simulate it, or list it in %s/doc.go", entries[0], by, bootstraps)
					continue
				}
				used[entries[i]] = true
			}
		}
	}
	for entry := range listed {
		if !used[entry] {
			t.Errorf("%s/doc.go lists %s, where everything is simulated", bootstraps, entry)
		}
	}
}

// bootstraps is the folder of the package that lists what is not simulated.
const bootstraps = "prove/bootstraps"

// notSimulated returns what the comment of package bootstraps lists with a reason: paths below internal, of a file, a
// folder, or a test as if it were a file. A name alone is a file of that package.
func notSimulated(t *testing.T) map[string]bool {
	t.Helper()
	comment, err := os.ReadFile(filepath.Join(root, "internal", bootstraps, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, entry := range regexp.MustCompile(`(?m)^//\t(\S+) +\S`).FindAllStringSubmatch(string(comment), -1) {
		name := entry[1]
		if !strings.Contains(name, "/") {
			name = path.Join(bootstraps, name)
		}
		listed[name] = true
	}
	return listed
}

// testFiles returns the files of all tests, by their names, by folders below internal.
func testFiles(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	all := map[string]map[string]*ast.File{}
	for _, path := range goFiles(t) {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		folder, err := filepath.Rel(filepath.Join(root, "internal"), filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if all[folder] == nil {
			all[folder] = map[string]*ast.File{}
		}
		all[folder][filepath.Base(path)] = file
	}
	return all
}

// testsOf returns the names of a file's tests, but for those in a browser.
func testsOf(file *ast.File) (tests []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || strings.HasSuffix(f.Name.Name, "InABrowser") {
			continue
		}
		begins := func(kind string) bool { return strings.HasPrefix(f.Name.Name, kind) }
		if slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, begins) {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests
}

// outside is what a function does outside of bubbles.
type outside struct {
	escape string          // the first; "" for none
	names  map[string]bool // of functions, and whatever else it names
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
			if by := selector(n); o.escape == "" && slices.Contains(escapes, by) {
				o.escape = by
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

// escape returns by which function a test escapes outside of bubbles, also in a helper that it calls there; "" for
// none.
func escape(functions map[string][]outside, test string) string {
	next, seen := []string{test}, map[string]bool{}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, f := range functions[name] {
			if f.escape != "" {
				return f.escape + " in " + name
			}
			next = slices.AppendSeq(next, maps.Keys(f.names))
		}
	}
	return ""
}
