package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namesTests matches the comment at the end of a departure, which names its tests.
var namesTests = regexp.MustCompile(`(?s)<!-- ([^>]+) -->$`)

// TestEachDepartureNamesItsTests: a comment behind each departure names the tests that hold it, or the scripts of
// commands, and all of them exist. So whoever changes a rule finds its test.
func TestEachDepartureNamesItsTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "internal/docs/departures.md"))
	if err != nil {
		t.Fatal(err)
	}
	exists := tests(t)
	for i, row := range strings.Split("\n"+string(page), "\n- ")[1:] {
		row, _, _ = strings.Cut(row, "\n\n")
		head, _, _ := strings.Cut(row, "\n")
		named := namesTests.FindStringSubmatch(strings.TrimSpace(row))
		if named == nil {
			t.Errorf("departure %d names no test: %s", i+1, head)
			continue
		}
		for name := range strings.SplitSeq(named[1], ",") {
			if name = strings.TrimSpace(name); !exists[name] {
				t.Errorf("there is no %s: %s", name, head)
			}
		}
	}
}

// declared matches the declaration of a test.
var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// tests returns the names of the project's tests and of the scripts of commands.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case strings.HasSuffix(path, ".txtar"):
			names[filepath.Base(path)] = true
		case strings.HasSuffix(path, "_test.go"):
			var source []byte
			source, err = os.ReadFile(path)
			for _, match := range declared.FindAllSubmatch(source, -1) {
				names[string(match[1])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
