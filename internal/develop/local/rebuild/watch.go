package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Watch builds functions again when their source changes. Running processes serve until a build has succeeded.
type Watch struct {
	project  Project
	status   *Status
	renew    func(function string)
	log      io.Writer
	sources  *sources
	template []byte // the one that the stack runs with
	stop     context.CancelFunc
	ended    chan struct{}
	programs map[string]os.FileInfo // from which processes are started, by logical id
}

// debounce is how long the source must be quiet before a build: editors write a file more than once.
const debounce = 100 * time.Millisecond

// Watch watches the source until Close. It updates the status, writes whole lines for people to the log, and calls
// renew for every function with a new program. If the source cannot be watched, it logs that, and the stack runs
// without a watch.
func (p Project) Watch(status *Status, log io.Writer, renew func(function string)) *Watch {
	w := &Watch{
		project: p, status: status, renew: renew, log: log,
		ended: make(chan struct{}), programs: map[string]os.FileInfo{},
	}
	for _, f := range p.Functions {
		w.programs[f.LogicalID] = w.program(f)
	}
	// The content is kept, not the time: a file that is saved unchanged needs no restart.
	w.template, _ = os.ReadFile(p.Template)
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	go w.run(ctx)
	return w
}

// Close ends the watch, and a build that is running.
func (w *Watch) Close() error {
	w.stop()
	<-w.ended
	return nil
}

// run rebuilds after each pause in the changes. A running build is ended first, so two never run at once.
func (w *Watch) run(ctx context.Context) {
	defer close(w.ended)
	var err error
	w.sources, err = watchSources(ctx, w.project.Root, w.project.Template) // not earlier: the stack need not wait
	if err != nil {
		if ctx.Err() == nil {
			w.logf("%v; changes need a restart", err)
		}
		return
	}
	defer w.sources.notify.Close()
	w.status.Update(func(s *State) { s.Watching = true })
	end := func() {} // ends a running build, whose source is out of date
	defer func() { end() }()
	quiet := time.NewTimer(debounce)
	// It begins with the first change.
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.sources.notify.Events:
			switch w.sources.change(event) {
			case functionsChange:
				quiet.Reset(debounce)
			case templateChange:
				w.compareTemplate()
			}
		case err := <-w.sources.notify.Errors: // some changes were not reported
			w.logf("%v", err)
			quiet.Reset(debounce)
		case <-quiet.C:
			end()
			end = w.startRebuild(ctx)
		}
	}
}

// startRebuild builds in the background. The function end stops the build, and waits until it has stopped.
func (w *Watch) startRebuild(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.rebuild(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// compareTemplate reports when the template differs from the one that the stack runs with, and when it no longer does.
func (w *Watch) compareTemplate() {
	now, err := os.ReadFile(w.project.Template)
	if err != nil {
		// It is being replaced.
		return
	}
	restart := ""
	if !bytes.Equal(now, w.template) {
		restart = filepath.Base(w.project.Template)
		w.logf("%s has changed: restart to use it", restart)
	}
	w.status.Update(func(s *State) { s.Restart = restart })
}

// logf writes whole lines to the log, for people.
func (w *Watch) logf(format string, args ...any) {
	fmt.Fprintf(w.log, "watch: %s\n", strings.TrimSpace(fmt.Sprintf(format, args...)))
}
