package rebuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/develop/local/samtemplate"
)

// program returns the file from which a function's processes are started, or nil if there is none. Go writes a program
// that has changed into a new file.
func (w *Watch) program(f samtemplate.Function) os.FileInfo {
	file, err := os.Stat(filepath.Join(w.project.Builds, f.Program()))
	if err != nil {
		return nil
	}
	return file
}

// rebuild builds every function, and renews those whose program has changed.
func (w *Watch) rebuild(ctx context.Context) {
	w.status.Update(func(s *State) { s.Building = true })
	began := time.Now()
	// Functions may import other packages than before.
	followed := make(chan error)
	go func() { followed <- w.sources.follow(ctx) }()
	err := w.project.Build(ctx, nil)
	notFollowed := <-followed
	// This build was ended: a newer one follows, or the watch ends too.
	if ctx.Err() != nil {
		return
	}
	if notFollowed != nil {
		w.logf("%v; changes there need a restart", notFollowed)
	}
	failure := ""
	if err != nil {
		failure = output(err)
	}
	w.status.Update(func(s *State) { s.Building, s.Failure = false, failure })
	// A build that changes nothing is not worth a line.
	if renewed := w.renewAll(); len(renewed) > 0 {
		w.logf("built %s in %.1f s", w.names(renewed), time.Since(began).Seconds())
	}
	if failure != "" {
		w.logf("not everything can be built; what cannot serves as it was built before\n%s", failure)
	}
}

// renewAll renews the functions whose program has changed, and returns their logical ids.
func (w *Watch) renewAll() (renewed []string) {
	for _, f := range w.project.Functions {
		now := w.program(f)
		if now == nil || os.SameFile(now, w.programs[f.LogicalID]) {
			continue
		}
		w.programs[f.LogicalID] = now
		w.renew(f.LogicalID)
		renewed = append(renewed, f.LogicalID)
	}
	return renewed
}

// names lists the functions with these logical ids, for people.
func (w *Watch) names(ids []string) string {
	// A change in shared code renews all of them, and a long list tells less than this.
	if len(ids) > 1 && len(ids) == len(w.project.Functions) {
		return "every function"
	}
	return strings.Join(ids, ", ")
}
