// Package rebuild builds functions, and builds them again when their source changes, like sam build and sam sync
// --watch. It differs from these: it builds for this machine, knows only targets of make, and does not restart a
// function whose program is unchanged.
package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/processes"
	"frontdesk/internal/local/template"

	"golang.org/x/sync/errgroup"
)

// parallelBuilds is how many functions are built at a time. The compiler itself uses all cores.
const parallelBuilds = 2

// Project says what is built, and where.
type Project struct {
	Root      string // the folder with the Makefile
	Builds    string // for the built functions, <Builds>/<LogicalId>/bootstrap
	Template  string // path
	Functions []template.Function
}

// Build builds every function, and reports its progress unless progress is nil. Processes that build into the same
// folder wait for each other. The error contains the compiler's output.
func (p Project) Build(ctx context.Context, progress io.Writer) error {
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// The first error in the order of the template is reported, whichever function failed first.
	notBuilt := p.build(ctx, p.Builds, progress)
	for _, f := range p.Functions {
		if err := notBuilt[f.LogicalID]; err != nil {
			return err
		}
	}
	return nil
}

// build makes <folder>/<LogicalId>/bootstrap for each function. It returns the error of each that cannot be
// built, by logical id. The make target functions/local builds all of them in one run of Go, which takes a tenth
// of the time. If the project has no such target, or a function fails, each is built by the target that sam build
// uses, build-<LogicalId>.
func (p Project) build(ctx context.Context, folder string, progress io.Writer) (notBuilt map[string]error) {
	if p.make(ctx, progress, "functions/local", "BUILDS="+folder) == nil {
		return nil
	}
	notBuilt = map[string]error{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(parallelBuilds)
	for _, f := range p.Functions {
		group.Go(func() error {
			err := p.buildFunction(ctx, f, filepath.Join(folder, f.LogicalID))
			mu.Lock()
			defer mu.Unlock()
			notBuilt[f.LogicalID] = err
			return nil
		})
	}
	group.Wait()
	return notBuilt
}

// lock keeps other processes from building into the same folder.
func (p Project) lock(ctx context.Context) (unlock func() error, err error) {
	return processes.Lock(ctx, filepath.Join(p.Builds, ".lock"))
}

// buildError is the error of a function that cannot be built.
type buildError struct {
	target string
	err    error  // make's
	output string // the compiler's
}

func (e *buildError) Error() string { return fmt.Sprintf("make %s: %v\n%s", e.target, e.err, e.output) }

// buildFunction makes <folder>/bootstrap.
func (p Project) buildFunction(ctx context.Context, f template.Function, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("build %s: %w", f.LogicalID, err)
	}
	return p.make(ctx, nil, "build-"+f.LogicalID, "ARTIFACTS_DIR="+folder)
}

// make runs a target for this machine. Its output goes to the writer, which may be nil.
func (p Project) make(ctx context.Context, output io.Writer, target, variable string) error {
	// The variables stand on the command line, because there they win over those of the Makefile.
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "--silent", target, variable,
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Dir = p.Root
	cmd.Env = withoutMake(os.Environ())
	endTogether(cmd)
	// A compiler that make has started may keep the pipes open. The build does not wait for it any longer.
	cmd.WaitDelay = 2 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = output, &said
	if err := cmd.Run(); err != nil {
		return &buildError{target, err, withoutMakesOwn(said.String())}
	}
	return nil
}

// withoutMakesOwn removes make's own lines after the compiler's: "make: *** [Makefile:37: …] Error 1".
func withoutMakesOwn(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "make: ***") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// withoutMake removes the variables that an outer make sets for its children. This make is not one of them.
func withoutMake(environ []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "MAKEFLAGS" || name == "MFLAGS" || name == "MAKELEVEL" || name == "MAKEOVERRIDES"
	})
}
