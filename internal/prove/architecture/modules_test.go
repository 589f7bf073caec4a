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
// other packages, as it is built for Lambda. A line has a module, and the functions that link it.
func TestFunctionsLinkTheModulesOfTheList(t *testing.T) {
	t.Parallel()
	all := map[string]listed{}
	var functions []listed
	for _, p := range list(t, "-deps", "./functions/...") {
		if all[p.ImportPath] = p; !p.DepOnly {
			functions = append(functions, p)
		}
	}
	linked := map[string]map[string]bool{} // by modules, then by functions
	for _, function := range functions {
		for _, dependency := range function.Deps {
			m := all[dependency].Module
			if m == nil || m.Path+"/" == module {
				continue
			}
			if linked[m.Path] == nil {
				linked[m.Path] = map[string]bool{}
			}
			linked[m.Path][path.Base(function.ImportPath)] = true
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		var with, without []string
		for _, function := range functions {
			if base := path.Base(function.ImportPath); linked[name][base] {
				with = append(with, base)
			} else {
				without = append(without, base)
			}
		}
		fmt.Fprintf(&text, "%s: %s\n", name, inWords(with, without))
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
			"\tgo test ./internal/prove/architecture -update\nThey link now:\n%s", text.String())
	}
}

// inWords lists functions, or those that are missing, whichever are fewer.
func inWords(functions, missing []string) string {
	slices.Sort(functions)
	slices.Sort(missing)
	switch {
	case len(missing) == 0:
		return "every function"
	case len(missing) < len(functions):
		return "every function but " + strings.Join(missing, ", ")
	}
	return strings.Join(functions, ", ")
}
