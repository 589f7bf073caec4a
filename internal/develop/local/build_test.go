package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

const buildTemplate = `
Transform: AWS::Serverless-2016-10-31
Resources:
  FirstFunction: {Type: AWS::Serverless::Function, Properties: {Runtime: provided.al2023}}
`

// newProject returns the options for a project with a function and this Makefile.
func newProject(t *testing.T, makefile string) local.Options {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"template.yaml": buildTemplate, "Makefile": makefile} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return local.Options{Root: root}
}

// TestBuildMakesEveryFunction shows that the functions are built in one run, for this machine. Variables of an outer
// make must not change that.
func TestBuildMakesEveryFunction(t *testing.T) {
	t.Setenv("MAKEFLAGS", "n") // as if the tests ran under `make -n`, which builds nothing
	o := newProject(t, "functions/local:\n\t@echo building; echo $(GOOS)/$(GOARCH) > built\n")
	var told strings.Builder
	o.Progress = &told
	if err := local.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(o.Root, "built"))
	if want := runtime.GOOS + "/" + runtime.GOARCH + "\n"; err != nil || string(got) != want {
		t.Errorf("make was asked for %q, %v, want %q", got, err, want)
	}
	expect.Equal(t, told.String(), "building\n")
}

// TestBuildThatFailsTellsWhatTheCompilerSaid shows that the error ends with the compiler's output, without make's.
func TestBuildThatFailsTellsWhatTheCompilerSaid(t *testing.T) {
	t.Parallel()
	o := newProject(t, "functions/local:\n\t@echo main.go:7: undefined: x >&2; false\n")
	err := local.Build(t.Context(), o)
	expect.HasSuffix(t, fmt.Sprint(err), "\nmain.go:7: undefined: x")
}

// TestStackWithoutBuiltFunctionsSaysSo shows that a missing bootstrap is an error of the request, not of the start.
func TestStackWithoutBuiltFunctionsSaysSo(t *testing.T) {
	t.Parallel()
	s := startProcesses(t, func(o *local.Options) { o.Builds = t.TempDir() })
	get(t, s, "/echo").want(t, 500, internalServerError)
	localtest.WaitLog(t, s, "start EchoFunction")
}
