package architecture

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write modules.txt anew")

// TestFunctionsLinkTheModulesOfTheList compares modules.txt with what each function links, by its own code or through
// other packages, as it is built for Lambda.
func TestFunctionsLinkTheModulesOfTheList(t *testing.T) {
	t.Parallel()
	all := map[string]listed{}
	var functions []listed
	for _, p := range list(t, "-deps", "./functions/...") {
		if all[p.ImportPath] = p; !p.DepOnly {
			functions = append(functions, p)
		}
	}
	slices.SortFunc(functions, func(a, b listed) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	var text strings.Builder
	for _, function := range functions {
		modules := map[string]bool{}
		for _, path := range function.Deps {
			if m := all[path].Module; m != nil && m.Path+"/" != module {
				modules[m.Path] = true
			}
		}
		fmt.Fprintf(&text, "%s\n", path.Base(function.ImportPath))
		for _, name := range slices.Sorted(maps.Keys(modules)) {
			fmt.Fprintf(&text, "\t%s\n", name)
		}
	}
	if *update {
		if err := os.WriteFile("modules.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("the functions link other modules than modules.txt says. If that is meant:\n"+
			"\tgo test ./internal/architecture -update\nThey link now:\n%s", text.String())
	}
}
