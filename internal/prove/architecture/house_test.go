package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheHouseHasEachFolderOnce: the table of rooms in CONTRIBUTING.md names each folder of each room, and none that
// does not exist.
func TestTheHouseHasEachFolderOnce(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".github/CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| room |")
	_, table, _ = strings.Cut(table, "|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named []string
	quoted := regexp.MustCompile("`([a-z]+)`")
	for row := range strings.SplitSeq(table, "\n") {
		names := quoted.FindAllStringSubmatch(row, -1)
		named = append(named, names[0][1])
		for _, folder := range names[1:] {
			named = append(named, names[0][1]+"/"+folder[1])
		}
	}
	var there []string
	for _, depth := range []string{"*", "*/*"} {
		folders, err := filepath.Glob(filepath.Join(root, "internal", depth))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			info, err := os.Stat(folder)
			if err != nil {
				t.Fatal(err)
			}
			if name, _ := filepath.Rel(filepath.Join(root, "internal"), folder); info.IsDir() {
				there = append(there, name)
			}
		}
	}
	slices.Sort(named)
	slices.Sort(there)
	if !slices.Equal(named, there) {
		t.Errorf("the table names\n%q,\nthere are\n%q", named, there)
	}
}
