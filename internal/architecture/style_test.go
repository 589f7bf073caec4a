package architecture

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumn = 120 // of a line of Go
	tabWidth  = 4
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
	for _, tree := range []string{"functions", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, tree), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			checkColumns(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

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
		columns := utf8.RuneCountInString(lines.Text()) + (tabWidth-1)*strings.Count(lines.Text(), "\t")
		if columns > maxColumn {
			t.Errorf("%s:%d has %d columns; at most %d are allowed", path, n, columns, maxColumn)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
