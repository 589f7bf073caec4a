// Package rebuild builds functions, and builds them again when their source changes, like sam build and sam sync
// --watch. It differs from these: it builds for this machine, by one target of make, and does not restart a function
// whose program is unchanged.
package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/develop/local/processes"
	"frontdesk/internal/develop/local/samtemplate"
)

// Project says what is built, and where.
type Project struct {
	Root      string // the folder with the Makefile
	Builds    string // folder of the programs, to which the Makefile writes them
	Template  string // path
	Functions []samtemplate.Function
}

// target is the target of make that builds every function, in one run of Go. It writes each program that compiles in
// one step, and leaves the others as they were.
const target = "functions/local"

// Build builds every function, and reports its progress unless progress is nil. Processes that build into the same
// folder wait for each other. The error contains the compiler's output.
func (p Project) Build(ctx context.Context, progress io.Writer) error {
	unlock, err := processes.Lock(ctx, filepath.Join(p.Builds, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	// The variables stand on the command line, because there they win over those of the Makefile.
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "--silent", target,
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Dir = p.Root
	cmd.Env = withoutMake(os.Environ())
	endTogether(cmd)
	// A compiler that make has started may keep the pipes open. The build does not wait for it any longer.
	cmd.WaitDelay = 2 * time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = progress, &output
	if err := cmd.Run(); err != nil {
		return &buildError{err, withoutMakesOwn(output.String())}
	}
	return nil
}

// buildError is the error of functions that cannot be built.
type buildError struct {
	err    error  // make's
	output string // the compiler's
}

func (e *buildError) Error() string { return fmt.Sprintf("make %s: %v\n%s", target, e.err, e.output) }

// output returns what the compiler said, or else the error itself.
func output(err error) string {
	if compiler := (*buildError)(nil); errors.As(err, &compiler) && compiler.output != "" {
		return compiler.output
	}
	return err.Error()
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
