package architecture

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write modules.txt anew")

// TestFunctionsLinkTheModulesOfTheList compares modules.txt with what the functions link, by their own code or through
// other packages, as they are built for Lambda. A line has a module, and the services whose functions link it.
func TestFunctionsLinkTheModulesOfTheList(t *testing.T) {
	t.Parallel()
	all := map[string]listed{}
	var functions []listed
	for _, p := range list(t, "-deps", "./functions/...") {
		if all[p.ImportPath] = p; !p.DepOnly {
			functions = append(functions, p)
		}
	}
	services := map[string]bool{}
	linked := map[string]map[string]bool{} // by modules, then by services
	for _, function := range functions {
		service := serviceOf(function)
		services[service] = true
		for _, dependency := range function.Deps {
			m := all[dependency].Module
			if m == nil || m.Path+"/" == module {
				continue
			}
			if linked[m.Path] == nil {
				linked[m.Path] = map[string]bool{}
			}
			linked[m.Path][service] = true
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		var with, without []string
		for service := range services {
			if linked[name][service] {
				with = append(with, service)
			} else {
				without = append(without, service)
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

// serviceOf returns the package of service that a function wires. Functions of one package link the same modules. The
// first of several is the shortest: user, and not user/signin.
func serviceOf(function listed) (service string) {
	for _, imported := range function.Imports {
		name, ok := strings.CutPrefix(imported, module+"internal/service/")
		if ok && (service == "" || len(name) < len(service)) {
			service = name
		}
	}
	return service
}

// inWords lists services, or those that are missing, whichever are fewer.
func inWords(services, missing []string) string {
	slices.Sort(services)
	slices.Sort(missing)
	switch {
	case len(missing) == 0:
		return "every service"
	case len(missing) < len(services):
		return "every service but " + strings.Join(missing, ", ")
	}
	return strings.Join(services, ", ")
}
