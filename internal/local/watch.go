package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/requestlog"
	"frontdesk/internal/local/template"
)

// watch builds functions again when their source changes. A build happens beside the processes that
// run; they serve until it is good.
type watch struct {
	options   Options
	functions []template.Function
	renew     func(function string)
	builds    *builds
	log       *requestlog.Log
	sources   *sources
	template  []byte // the one that the stack runs on
	stop      context.CancelFunc
	ended     chan struct{}

	mu       sync.Mutex
	versions map[string]version // what the functions' processes are started from, by logical id
}

// settle is how long the source must be quiet before a build: a program that saves writes more than once.
const settle = 100 * time.Millisecond

// startWatch returns nil when the source cannot be watched, which it logs: a stack runs without.
func startWatch(o Options, t *template.Template, renew func(function string), b *builds, log *requestlog.Log) *watch {
	w := &watch{
		options: o, functions: t.Functions, renew: renew, builds: b, log: log,
		ended: make(chan struct{}), versions: map[string]version{},
	}
	var err error
	if w.sources, err = watchSources(o.Root, o.Template); err != nil {
		w.say("%v; changes need a restart", err)
		return nil
	}
	w.template, _ = os.ReadFile(o.Template)
	w.builds.update(func() { w.builds.watching = true })
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.Background())
	go w.run(ctx)
	return w
}

// close ends the watch, and a build that is under way.
func (w *watch) close() {
	w.stop()
	<-w.ended
	w.sources.notify.Close()
}

func (w *watch) run(ctx context.Context) {
	defer close(w.ended)
	w.begin()
	end := func() {} // ends the build that is under way: it is of source that there is no more
	defer func() { end() }()
	quiet := time.NewTimer(settle)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.sources.notify.Events:
			change, err := w.sources.change(event)
			if err != nil {
				w.say("%v; changes there need a restart", err)
			}
			switch change {
			case functionsChange:
				quiet.Reset(settle)
			case templateChange:
				w.compareTemplate()
			}
		case err := <-w.sources.notify.Errors: // some changes were not told
			w.say("%v", err)
			quiet.Reset(settle)
		case <-quiet.C:
			end()
			end = w.startRebuild(ctx)
		}
	}
}

func (w *watch) startRebuild(ctx context.Context) (end func()) {
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

// compareTemplate tells when the template is not the one that the stack runs on, and when it is again.
func (w *watch) compareTemplate() {
	now, err := os.ReadFile(w.options.Template)
	if err != nil {
		return // it is being replaced
	}
	restart := ""
	if !bytes.Equal(now, w.template) {
		restart = filepath.Base(w.options.Template)
		w.say("%s has changed: restart to use it", restart)
	}
	w.builds.update(func() { w.builds.restart = restart })
}

// say writes whole lines to the log, for people.
func (w *watch) say(format string, args ...any) {
	fmt.Fprintf(w.log, "watch: %s\n", strings.TrimSpace(fmt.Sprintf(format, args...)))
}
