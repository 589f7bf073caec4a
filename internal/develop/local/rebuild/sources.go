package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// sources watches the files from which functions are built: those of the packages that they import, go.mod and go.sum.
// It watches the template too.
type sources struct {
	root     string
	template string
	notify   *fsnotify.Watcher

	mu      sync.Mutex
	folders map[string]bool // of the packages, and of what they embed
}

// watchSources watches folders, not files: editors replace a file when they save it.
func watchSources(ctx context.Context, root, template string) (*sources, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the source: %w", err)
	}
	s := &sources{root: root, template: template, notify: notify, folders: map[string]bool{}}
	// The root itself has go.mod and go.sum. The template may be in any folder.
	err = errors.Join(s.add(root), s.add(filepath.Dir(template)), s.follow(ctx))
	if err != nil {
		notify.Close()
		return nil, err
	}
	return s, nil
}

// add watches a folder, without those below it.
func (s *sources) add(folder string) error {
	if err := s.notify.Add(folder); err != nil {
		return fmt.Errorf("watch %s: %w", folder, err)
	}
	return nil
}

// importedFiles is the form in which go list tells a package's folder, as a file in it, and the files that it embeds.
const importedFiles = `{{if not .Standard}}{{.Dir}}/.{{range .EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{end}}`

// follow watches the folders of the project that functions are built from now. Code that is wrong is no error.
func (s *sources) follow(ctx context.Context) (err error) {
	list := exec.CommandContext(ctx, cmp.Or(os.Getenv("GO"), "go"), "list", "-e", "-deps", "-f", importedFiles,
		"./functions/...")
	list.Dir = s.root
	listed, err := list.Output()
	if err != nil {
		return fmt.Errorf("list what functions import: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.folders
	s.folders = map[string]bool{}
	for file := range strings.Lines(string(listed)) {
		folder := filepath.Dir(strings.TrimSpace(file))
		if strings.HasPrefix(folder, s.root+string(filepath.Separator)) {
			s.folders[folder] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(s.folders)) {
		if !before[folder] {
			err = errors.Join(err, s.add(folder))
		}
	}
	return err
}

// sourceChange says what a change in a watched folder means.
type sourceChange int

const (
	noChange sourceChange = iota
	functionsChange
	templateChange
)

// change classifies an event.
func (s *sources) change(e fsnotify.Event) sourceChange {
	folder, name := filepath.Split(e.Name)
	folder = filepath.Clean(folder)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	// Indexers and backups touch attributes only.
	case e.Op == fsnotify.Chmod:
	case e.Name == s.template:
		return templateChange
	case folder == s.root && (name == "go.mod" || name == "go.sum"):
		return functionsChange
	// Tests are no part of a function, nor are hidden files and those that editors leave for a moment.
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "~"), strings.HasSuffix(name, "_test.go"):
	case s.folders[folder]:
		return functionsChange
	}
	return noChange
}
