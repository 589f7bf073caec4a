// Package rebuild builds functions, and again when their source changes: what sam build and sam sync --watch do. Unlike
// these it builds for this machine, knows make's targets only, and leaves a function alone whose program is the same.
package rebuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/local/filelock"
	"frontdesk/internal/local/template"

	"golang.org/x/sync/errgroup"
)

// parallelBuilds is how many functions are built at a time. The compiler itself uses every core.
const parallelBuilds = 2

// Project is what is built, and where.
type Project struct {
	Root      string // the folder with the Makefile
	Builds    string // the folder of the built functions, <Builds>/<LogicalId>/bootstrap
	Template  string // path
	Functions []template.Function
}

// Build builds every function with the make target that sam build uses, build-<LogicalId>. Builds of several processes
// into one folder wait for each other. The error has the compiler's output.
func (p Project) Build(ctx context.Context) error {
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelBuilds)
	for _, f := range p.Functions {
		group.Go(func() error { return p.buildFunction(ctx, f, filepath.Join(p.Builds, f.LogicalID)) })
	}
	return group.Wait()
}

func (p Project) lock(ctx context.Context) (unlock func() error, err error) {
	return filelock.Lock(ctx, filepath.Join(p.Builds, ".lock"))
}

// buildError is a function that cannot be built.
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
	target := "build-" + f.LogicalID
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "--silent", target,
		"ARTIFACTS_DIR="+folder, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Dir = p.Root
	cmd.Env = withoutMake(os.Environ())
	// In a group of their own, make and the compiler end together, and so that the compiler removes its temporary
	// files.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 2 * time.Second
	if output, err := cmd.CombinedOutput(); err != nil {
		return &buildError{target, err, withoutMakesOwn(string(output))}
	}
	return nil
}

// withoutMakesOwn takes away what make says after the compiler: "make: *** [Makefile:37: …] Error 1".
func withoutMakesOwn(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "make: ***") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// withoutMake takes away what a make around this process tells its children: this make is none.
func withoutMake(environ []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "MAKEFLAGS" || name == "MFLAGS" || name == "MAKELEVEL" || name == "MAKEOVERRIDES"
	})
}
