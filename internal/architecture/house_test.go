package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheHouseHasEachFolderOnce: the table of rooms in CONTRIBUTING.md names each folder of internal, by the first part
// of its path.
func TestTheHouseHasEachFolderOnce(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".github/CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| room |")
	_, table, _ = strings.Cut(table, "\n|---|")
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]int{}
	for _, name := range regexp.MustCompile("`([a-z]+)(?:/[a-z]+)?`").FindAllStringSubmatch(table, -1) {
		named[name[1]]++
	}
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if times := named[entry.Name()]; entry.IsDir() && times != 1 {
			t.Errorf("internal/%s is named %d times", entry.Name(), times)
		}
		delete(named, entry.Name())
	}
	for name := range named {
		t.Errorf("there is no internal/%s", name)
	}
}
