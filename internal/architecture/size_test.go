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
	maxLines  = 1500 // of a package, without tests
	maxFiles  = 15   // of a package, without tests
	maxWiring = 300  // lines of internal/local, which is wiring alone
	maxColumn = 120  // of a line of Go
	tabWidth  = 4
)

func TestPackagesAreSmallAndSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	harness, product := 0, 0
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		lines := p.lines(t)
		switch {
		case matches("internal/local/...", name), matches("internal/stress/...", name):
			harness += lines
		case !matches("internal/fixture", name) && !matches("internal/docs/contracttest", name):
			product += lines
		}
		if p.Doc == "" && !strings.HasPrefix(name, "functions/") {
			t.Errorf("%s has no package comment", name)
		}
		files, exempt := len(p.files()), matches("internal/stress/...", name)
		if !exempt && (lines > maxLines || files > maxFiles) {
			t.Errorf("%s has %d lines in %d files; at most %d in %d are allowed",
				name, lines, files, maxLines, maxFiles)
		}
		if name == "internal/local" && lines > maxWiring {
			t.Errorf("%s has %d lines; it is wiring, of at most %d", name, lines, maxWiring)
		}
	}
	if harness > product {
		t.Errorf("the local stack and the load suite have %d lines, more than the %d of the product", harness, product)
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
