package functions_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"

	"frontdesk/internal/prove/functions"
)

// TestTheListIsThatOfTheMains shows that each program of the list is spelt as the main of its folder spells it, and
// means the same packages.
func TestTheListIsThatOfTheMains(t *testing.T) {
	t.Parallel()
	list := parse(t, "functions.go")
	listed := map[string]string{}
	ast.Inspect(list, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			name, _ := strconv.Unquote(text(t, pair.Key))
			listed[name] = text(t, pair.Value)
		}
		return true
	})
	mains, err := filepath.Glob("../../../functions/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range mains {
		main, name := parse(t, path), filepath.Base(filepath.Dir(path))
		if want := wired(t, main); listed[name] != want {
			t.Errorf("functions.go has %q, want this line:\n\t%q: %s,", listed[name], name, want)
		}
		for alias, imported := range imports(main) {
			if imports(list)[alias] != imported {
				t.Errorf("functions.go does not import %s, as %s does", imported, path)
			}
		}
	}
	if len(mains) != len(functions.Programs) {
		t.Errorf("functions.go has %d programs, and there are %d mains", len(functions.Programs), len(mains))
	}
}

// wired returns the program that a main runs.
func wired(t *testing.T, file *ast.File) string {
	t.Helper()
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if len(f.Body.List) == 1 {
			if run, ok := f.Body.List[0].(*ast.ExprStmt); ok {
				if call, ok := run.X.(*ast.CallExpr); ok && text(t, call.Fun) == "api.Main" && len(call.Args) == 1 {
					return text(t, call.Args[0])
				}
			}
		}
		t.Errorf("%s is no call of api.Main", f.Name)
	}
	return ""
}

// imports returns the packages that a file imports, by their last names.
func imports(file *ast.File) map[string]string {
	packages := map[string]string{}
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		packages[filepath.Base(path)] = path
	}
	return packages
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// text returns the source of an expression in one line.
func text(t *testing.T, n ast.Node) string {
	t.Helper()
	var source bytes.Buffer
	if err := printer.Fprint(&source, token.NewFileSet(), n); err != nil {
		t.Fatal(err)
	}
	return source.String()
}
