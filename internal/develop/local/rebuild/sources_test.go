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
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"go.mod":              "module m\n\ngo 1.26\n",
		"template.yaml":       "",
		"functions/a/main.go": "package main\n\nimport _ \"m/internal/b\"\n\nfunc main() {}\n",
		"internal/b/b.go": "package b\n\nimport _ \"embed\"\n\n" +
			"//go:embed files/page.html\nvar page string\n",
		"internal/b/files/page.html": "",
		"internal/doctor/d.go":       "package doctor\n\nimport _ \"m/internal/b\"\n",
	} {
		write(path, text)
	}
	s, err := watchSources(t.Context(), root, filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.notify.Close()
	changes := func(path, text string) (got sourceChange) {
		t.Helper()
		write(path, text)
		// An editor's write causes several events. They have all arrived when nothing comes for a while.
		for {
			select {
			case event := <-s.notify.Events:
				got = max(got, s.change(event))
			case <-time.After(30 * time.Millisecond):
				return got
			}
		}
	}
	for path, want := range map[string]sourceChange{
		"functions/a/main.go":        functionsChange,
		"internal/b/b.go":            functionsChange,
		"internal/b/new.go":          functionsChange,
		"internal/b/files/page.html": functionsChange, // it is embedded
		"go.mod":                     functionsChange,
		"go.sum":                     functionsChange,
		"template.yaml":              templateChange,
		"README.md":                  noChange,
		"internal/b/b_test.go":       noChange,
		"internal/b/.b.go.swp":       noChange,
		"internal/b/b.go~":           noChange,
		"internal/b/testdata/x.go":   noChange,
		// No function imports it, although it imports what functions do.
		"internal/doctor/d.go": noChange,
	} {
		if path == "internal/b/testdata/x.go" { // the folder itself is new
			changes(path, "")
		}
		if got := changes(path, time.Now().String()); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	// Once a function imports it, it matters.
	changes("go.mod", "module m\n\ngo 1.26\n")
	changes("functions/a/main.go", "package main\n\nimport _ \"m/internal/doctor\"\n\nfunc main() {}\n")
	if err := s.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := changes("internal/doctor/d.go", "package doctor\n"); got != functionsChange {
		t.Errorf("a package that is imported now: %v", got)
	}
}
