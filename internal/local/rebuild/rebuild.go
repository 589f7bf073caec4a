package rebuild

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/local/template"
)

// version is the SHA-256 of a function's bootstrap.
type version [sha256.Size]byte

// readVersion hashes a bootstrap. It compares content, not times: make may rewrite a program that is unchanged.
func readVersion(path string) (version, error) {
	program, err := os.ReadFile(path)
	return sha256.Sum256(program), err
}

// live is the bootstrap from which processes are started; staged is the one that the watch builds. Go leaves a staged
// program alone if it is up to date, which is several times faster than linking it again.
func (w *Watch) live(f template.Function) string {
	return filepath.Join(w.project.Builds, f.LogicalID, "bootstrap")
}

func (w *Watch) staged(f template.Function) string {
	return filepath.Join(w.stagedFolder(), f.LogicalID, "bootstrap")
}

// stagedFolder is beside the live functions, on the same file system, so that a link and a rename are enough.
func (w *Watch) stagedFolder() string { return filepath.Join(w.project.Builds, ".staged") }

// stage records the running versions, and stages them.
func (w *Watch) stage() {
	for _, f := range w.project.Functions {
		live, staged := w.live(f), w.staged(f)
		w.versions[f.LogicalID], _ = readVersion(live) // without a program, every build is new
		os.MkdirAll(filepath.Dir(staged), 0o755)
		// A link to a name that exists would fail, and the old program may be of an earlier stack.
		os.Remove(staged)
		os.Link(live, staged) // if it fails, the first build takes longer
	}
}

// rebuild builds every function, and renews those whose bootstrap has changed.
func (w *Watch) rebuild(ctx context.Context) {
	w.status.Update(func(s *State) { s.Building = true })
	began := time.Now()
	renewed, failed := w.build(ctx)
	// This build was ended: a newer one follows, or the watch ends too.
	if ctx.Err() != nil {
		return
	}
	failures := groupFailures(failed)
	w.status.Update(func(s *State) { s.Building, s.Failures = false, failures })
	// A build that changes nothing is not worth a line.
	if len(renewed) > 0 {
		w.logf("built %s in %.1f s", w.names(renewed), time.Since(began).Seconds())
	}
	for _, f := range failures {
		w.logf("%s cannot be built; the one before keeps serving\n%s", w.names(f.Functions), f.Output)
	}
}

// names lists the functions with these logical ids, for people.
func (w *Watch) names(ids []string) string {
	// A change in shared code renews all of them, and a long list tells less than this.
	if len(ids) > 1 && len(ids) == len(w.project.Functions) {
		return "every function"
	}
	return strings.Join(slices.Sorted(slices.Values(ids)), ", ")
}

// build returns the functions with a new bootstrap and, by logical id, the compiler's output for those that cannot
// be built.
func (w *Watch) build(ctx context.Context) (renewed []string, failed map[string]string) {
	failed = map[string]string{}
	unlock, err := w.project.lock(ctx)
	if err != nil {
		for _, f := range w.project.Functions {
			failed[f.LogicalID] = err.Error()
		}
		return nil, failed
	}
	defer unlock()
	// The staged folder keeps half a build away from the running functions.
	notBuilt := w.project.build(ctx, w.stagedFolder(), nil)
	for _, f := range w.project.Functions {
		isNew, err := false, notBuilt[f.LogicalID]
		if err == nil {
			isNew, err = w.install(f)
		}
		switch compiler := (*buildError)(nil); {
		case errors.As(err, &compiler):
			failed[f.LogicalID] = compiler.output
		case err != nil:
			failed[f.LogicalID] = err.Error()
		case isNew:
			renewed = append(renewed, f.LogicalID)
		}
	}
	return renewed, failed
}

// install replaces the live bootstrap by the staged one in one step, unless they are equal.
func (w *Watch) install(f template.Function) (isNew bool, err error) {
	v, err := readVersion(w.staged(f))
	if err != nil {
		return false, fmt.Errorf("read the new %s: %w", f.LogicalID, err)
	}
	// The same content: its processes are warm, and stay.
	if v == w.versions[f.LogicalID] {
		return false, nil
	}
	live := w.live(f)
	next := live + ".next"
	os.Remove(next)
	defer os.Remove(next) // if all went well, it is gone already
	err = os.MkdirAll(filepath.Dir(live), 0o755)
	// A link, not a copy: while a file is open for writing, it cannot be executed. A fork elsewhere in this process
	// could inherit such a descriptor.
	if err == nil {
		err = os.Link(w.staged(f), next)
	}
	if err == nil {
		err = os.Rename(next, live)
	}
	if err != nil {
		return false, fmt.Errorf("install %s: %w", f.LogicalID, err)
	}
	// After the rename only: if it fails, the next build tries again.
	w.versions[f.LogicalID] = v
	w.renew(f.LogicalID)
	return true, nil
}
