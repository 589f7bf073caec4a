package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesEachFolderOnce: the last table of the README has a row for each folder. Its first cells name the
// folders, as in "`internal/table`, `id`".
func TestReadmeNamesEachFolderOnce(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| folder |")
	named := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\|([^|]*internal/[^|]*)\|`).FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			folder, _, _ := strings.Cut(strings.TrimPrefix(name[1], "internal/"), "/") // cmd of internal/cmd/frontdesk
			named[folder]++
		}
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
