package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// parallelBuilds is how many functions are built at a time. The compiler itself uses every core.
const parallelBuilds = 2

// Build builds every function of the template for this machine with the make target that sam build
// uses, build-<LogicalId>, into Options.Builds. Builds of several processes into one folder wait
// for each other. The error has the compiler's output.
func Build(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	template, err := LoadTemplate(o.Template, o.values())
	if err != nil {
		return fmt.Errorf("load template: %w", err)
	}
	unlock, err := lockFile(filepath.Join(o.Builds, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelBuilds)
	for _, f := range template.Functions {
		group.Go(func() error { return buildFunction(ctx, o, f) })
	}
	return group.Wait()
}

func buildFunction(ctx context.Context, o Options, f Function) error {
	folder := filepath.Join(o.Builds, f.LogicalID)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("build %s: %w", f.LogicalID, err)
	}
	target := "build-" + f.LogicalID
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", target,
		"ARTIFACTS_DIR="+folder, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Dir = o.Root
	cmd.Env = withoutMake(os.Environ())
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make %s: %w\n%s", target, err, output)
	}
	return nil
}

// withoutMake takes away what a make around this process tells its children: this make is none.
func withoutMake(environ []string) []string {
	var kept []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if name != "MAKEFLAGS" && name != "MFLAGS" && name != "MAKELEVEL" && name != "MAKEOVERRIDES" {
			kept = append(kept, variable)
		}
	}
	return kept
}
