package table_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/table"
)

// TestEachKindHasItsCeiling keeps the page complete: it has exactly one row per kind of item.
func TestEachKindHasItsCeiling(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Each kind of item\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, section, _ = strings.Cut(section, "\n|---|") // below the table's head
	var rows []string
	for line := range strings.Lines(section) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			kind, _, _ := strings.Cut(row, " |")
			rows = append(rows, kind)
		}
	}
	slices.Sort(rows)
	kinds := slices.Sorted(maps.Keys(maps.Collect(table.Kinds())))
	if !slices.Equal(rows, kinds) {
		t.Errorf("rows of the page, sorted:\n%q\nkinds:\n%q", rows, kinds)
	}
}
