package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
)

// spellPaths are the tests that spell the path of an operation, with the reason. A folder stands for all below it.
var spellPaths = map[string]string{
	"develop":                                "the stack on one machine knows no contract",
	"operate/frontdesk/chatwoot_test.go":     "they are the paths of Chatwoot",
	"operate/frontdesk/demo/console_test.go": "the console shows them",
	"operate/frontdesk/main_test.go":         "OPTIONS is no operation",
	"operate/frontdesk/sam_test.go":          "an event of sam local has one",
	"prove/contracttest":                     "it finds them",
	"prove/localtest":                        "it edits one in a template",
	"service/category/chatwoot_test.go":      "there are none of these",
	"service/category/showportal_test.go":    "there is none without /public",
	"service/user/chatwoot_test.go":          "there are none of these",
}

// TestCallsNameTheirOperation: tests and rows call an endpoint by its operationId, so that its path stands in the
// contract and the template alone. Pages and their files have addresses that readers know.
func TestCallsNameTheirOperation(t *testing.T) {
	t.Parallel()
	var begins []string // of paths
	for _, o := range contracttest.Operations(t) {
		if page := o.Responses.Status(200).Value.Content["text/html"] != nil; !page && o.Tags[0] != "Docs" {
			begin, _, _ := strings.Cut(o.Path, "{")
			begins = append(begins, strings.TrimSuffix(begin, "/"))
		}
	}
	used := map[string]bool{}
	for _, path := range goFiles(t) {
		name := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/internal/")
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "prove/") {
			continue
		}
		if spelt := spells(t, path, begins); spelt != "" {
			entry := mayBeIn(name)
			if used[entry] = true; entry == "" {
				t.Errorf("%s spells %s: name the operation, with fixture.To", name, spelt)
			}
		}
	}
	for entry, why := range spellPaths {
		if !used[entry] {
			t.Errorf("no test in %s spells a path, but it may: %s", entry, why)
		}
	}
}

// mayBeIn returns the entry of spellPaths for a file or a folder above it, "" for none.
func mayBeIn(name string) string {
	for entry := range spellPaths {
		if name == entry || strings.HasPrefix(name, entry+"/") {
			return entry
		}
	}
	return ""
}

// spells returns the first text of a file that is one of these paths, or one below it, "" for none.
func spells(t *testing.T, path string, begins []string) (spelt string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING || spelt != "" {
			return true
		}
		text, _ := strconv.Unquote(literal.Value)
		for _, begin := range begins {
			if rest, ok := strings.CutPrefix(text, begin); ok && (rest == "" || strings.ContainsAny(rest[:1], "/?")) {
				spelt = text
			}
		}
		return true
	})
	return spelt
}
