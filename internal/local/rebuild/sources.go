package rebuild

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// sources watches the files from which functions are built: everything below functions and internal, go.mod and go.sum.
// It watches the template too.
type sources struct {
	root     string
	template string
	notify   *fsnotify.Watcher
}

// trees are the folders below the root that are watched completely.
var trees = []string{"functions", "internal"}

// unwatched are folders within those that no function imports.
var unwatched = map[string]bool{
	filepath.Join("internal", "bench"): true,
	filepath.Join("internal", "cmd"):   true,
	filepath.Join("internal", "local"): true,
}

// watchSources watches folders, not files: editors replace a file when they save it.
func watchSources(root, template string) (*sources, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the source: %w", err)
	}
	s := &sources{root: root, template: template, notify: notify}
	// The root itself has go.mod and go.sum. The template may be in any folder.
	err = errors.Join(s.add(root), s.add(filepath.Dir(template)))
	for _, tree := range trees {
		err = errors.Join(err, s.addTree(filepath.Join(root, tree)))
	}
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

// addTree watches a folder and all folders below it, because the kernel reports changes in the folder itself only.
func (s *sources) addTree(tree string) error {
	return filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir(): // it does not exist, or not any more
			return nil
		case s.skips(path):
			return filepath.SkipDir
		}
		return s.add(path)
	})
}

// skips reports whether a file or a folder is no part of any function: tests, hidden files, and files that editors
// leave for a moment.
func (s *sources) skips(path string) bool {
	relative, err := filepath.Rel(s.root, path)
	name := filepath.Base(path)
	return err != nil || unwatched[relative] || name == "testdata" || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, "~") || strings.HasSuffix(name, "_test.go")
}

// sourceChange says what a change in a watched folder means.
type sourceChange int

const (
	noChange sourceChange = iota
	functionsChange
	templateChange
)

// change classifies an event. It also starts to watch new folders.
func (s *sources) change(e fsnotify.Event) (sourceChange, error) {
	relative, err := filepath.Rel(s.root, e.Name)
	tree, _, _ := strings.Cut(relative, string(filepath.Separator))
	switch {
	// Indexers and backups touch attributes only.
	case err != nil || e.Op == fsnotify.Chmod:
		return noChange, nil
	case e.Name == s.template:
		return templateChange, nil
	case relative == "go.mod" || relative == "go.sum":
		return functionsChange, nil
	case tree != trees[0] && tree != trees[1] || s.skips(e.Name):
		return noChange, nil
	}
	// Files may have been written into the folder before it was watched, so it counts as a change.
	if info, err := os.Stat(e.Name); err == nil && info.IsDir() && e.Has(fsnotify.Create) {
		return functionsChange, s.addTree(e.Name)
	}
	return functionsChange, nil
}
