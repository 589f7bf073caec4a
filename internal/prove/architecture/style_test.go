package architecture

import (
	"bufio"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumn  = 120 // of a line of Go
	tabWidth   = 4
	maxUnnamed = 3 // fields in a literal
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.Doc == "" && !strings.HasPrefix(name, "functions/") {
			t.Errorf("%s has no package comment", name)
		}
	}
}

func TestLinesOfGoFitOnAScreen(t *testing.T) {
	t.Parallel()
	for _, path := range goFiles(t) {
		checkColumns(t, path)
	}
}

// goFiles returns the paths of all Go files of the project, including its tests.
func goFiles(t *testing.T) (paths []string) {
	t.Helper()
	for _, tree := range []string{"functions", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, tree), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".go" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// fieldTag matches the tag of a field, which may be longer: the help of a command stands there.
var fieldTag = regexp.MustCompile("`\\w+:\".*\"`( // .*)?$")

func checkColumns(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := fieldTag.ReplaceAllString(lines.Text(), "$1")
		columns := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
		if columns > maxColumn {
			t.Errorf("%s:%d has %d columns; at most %d are allowed", path, n, columns, maxColumn)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// inspect visits the syntax tree of all code except tests. Visit returns what is wrong with a node, "" for nothing.
func inspect(t *testing.T, visit func(folder string, n ast.Node) (wrong string)) {
	t.Helper()
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if wrong := visit(filepath.Dir(path), n); wrong != "" {
				t.Errorf("%s: %s", files.Position(n.Pos()), wrong)
			}
			return true
		})
	}
}

// TestLiteralsNameMoreThanThreeFields checks literals of structs. It has no type information, so it takes every literal
// for one unless it is of a slice, an array or a map, or of a type that the same package declares as one of these.
func TestLiteralsNameMoreThanThreeFields(t *testing.T) {
	t.Parallel()
	lists := map[string]ast.Expr{} // by folder and name
	inspect(t, func(folder string, n ast.Node) string {
		if declared, ok := n.(*ast.TypeSpec); ok && elementType(declared.Type) != nil {
			lists[folder+" "+declared.Name.Name] = declared.Type
		}
		return ""
	})
	elided := map[*ast.CompositeLit]ast.Expr{} // types that are not written
	inspect(t, func(folder string, n ast.Node) string {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return ""
		}
		of := cmp.Or(literal.Type, elided[literal])
		if name, ok := of.(*ast.Ident); ok {
			of = lists[folder+" "+name.Name]
		}
		if element := elementType(of); element != nil {
			for _, value := range literal.Elts {
				if pair, ok := value.(*ast.KeyValueExpr); ok {
					value = pair.Value
				}
				if inner, ok := value.(*ast.CompositeLit); ok && inner.Type == nil {
					elided[inner] = element // it is visited next
				}
			}
			return ""
		}
		if len(literal.Elts) <= maxUnnamed {
			return ""
		}
		if _, named := literal.Elts[0].(*ast.KeyValueExpr); named {
			return ""
		}
		return fmt.Sprintf("the literal has %d fields without names; at most %d may have none",
			len(literal.Elts), maxUnnamed)
	})
}

// elementType returns the type of the elements of a slice, an array or a map; nil for any other type.
func elementType(of ast.Expr) ast.Expr {
	switch of := of.(type) {
	case *ast.ArrayType:
		return of.Elt
	case *ast.MapType:
		return of.Value
	}
	return nil
}

// TestAnIfAssignsToNothingOutside: the first statement of an if may declare variables. It must not change a variable
// that is declared outside.
func TestAnIfAssignsToNothingOutside(t *testing.T) {
	t.Parallel()
	inspect(t, func(_ string, n ast.Node) string {
		condition, ok := n.(*ast.IfStmt)
		if !ok {
			return ""
		}
		assignment, assigns := condition.Init.(*ast.AssignStmt)
		_, counts := condition.Init.(*ast.IncDecStmt)
		if counts || assigns && assignment.Tok != token.DEFINE {
			return "the if assigns to what was declared outside: assign before it"
		}
		return ""
	})
}
