package rebuild

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestChangesThatMatter writes one file after the other, and shows which of them lead to a build.
func TestChangesThatMatter(t *testing.T) {
	root := t.TempDir()
	// write writes a file with new content, and makes its folders.
	write := func(path string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(time.Now().String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"functions/a/main.go", "internal/b/b.go", "internal/local/x.go", "internal/cmd/c/c.go", "internal/bench/b.go",
		"internal/b/testdata/x.go", "internal/b/.git/x", "go.mod", "template.yaml",
	} {
		write(path)
	}
	s, err := watchSources(root, filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.notify.Close()
	// Functions are built of the code below functions and internal, but not of tests, of test data, and of the packages
	// that no function imports: the local stack, the tools, the benchmarks. Editors leave swap files and backups.
	tests := map[string]sourceChange{
		"functions/a/main.go":      functionsChange,
		"functions/a/page.html":    functionsChange, // it may be embedded
		"functions/new/deep/x.go":  functionsChange,
		"internal/b/b.go":          functionsChange,
		"go.mod":                   functionsChange,
		"go.sum":                   functionsChange,
		"template.yaml":            templateChange,
		"README.md":                noChange,
		"internal/b/b_test.go":     noChange,
		"internal/b/.b.go.swp":     noChange,
		"internal/b/b.go~":         noChange,
		"internal/b/testdata/x.go": noChange,
		"internal/b/.git/x":        noChange,
		"internal/local/x.go":      noChange,
		"internal/cmd/c/c.go":      noChange,
		"internal/bench/b.go":      noChange,
	}
	for path, want := range tests {
		write(path)
		got := noChange
		// An editor's write causes several events. They have all arrived when nothing comes for a while.
		for quiet := false; !quiet; {
			select {
			case event := <-s.notify.Events:
				change, err := s.change(event)
				if err != nil {
					t.Fatal(err)
				}
				got = max(got, change)
			case <-time.After(30 * time.Millisecond):
				quiet = true
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
