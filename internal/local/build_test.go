package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
)

const buildTemplate = `
Transform: AWS::Serverless-2016-10-31
Resources:
  FirstFunction: {Type: AWS::Serverless::Function, Properties: {Runtime: provided.al2023}}
  SecondFunction: {Type: AWS::Serverless::Function, Properties: {Runtime: provided.al2023}}
`

// newProject returns the options for a project with two functions and this Makefile.
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

// TestBuildMakesEveryFunction shows that each function is built by its own target, for this machine. Variables of an
// outer make must not change that.
func TestBuildMakesEveryFunction(t *testing.T) {
	t.Setenv("MAKEFLAGS", "n") // as if the tests ran under `make -n`, which builds nothing
	o := newProject(t, "build-%:\n\t@echo $* $(GOOS)/$(GOARCH) > $(ARTIFACTS_DIR)/bootstrap\n")
	if err := local.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"FirstFunction", "SecondFunction"} {
		got, err := os.ReadFile(filepath.Join(o.Root, ".local", "build", id, "bootstrap"))
		if err != nil {
			t.Fatal(err)
		}
		if want := id + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"; string(got) != want {
			t.Errorf("make was asked for %q, want %q", got, want)
		}
	}
}

// TestBuildMakesEveryFunctionInOneRunWhereItCan shows that a Makefile with the target functions/local builds all
// functions in one run, which is faster.
func TestBuildMakesEveryFunctionInOneRunWhereItCan(t *testing.T) {
	t.Parallel()
	o := newProject(t, "build-%:\n\tfalse\nfunctions/local:\n\t@echo building; for f in First Second; do "+
		"mkdir -p $(BUILDS)/$${f}Function && echo $(GOOS)/$(GOARCH) > $(BUILDS)/$${f}Function/bootstrap; done\n")
	var told strings.Builder
	o.Progress = &told
	if err := local.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"FirstFunction", "SecondFunction"} {
		got, err := os.ReadFile(filepath.Join(o.Root, ".local", "build", id, "bootstrap"))
		if want := runtime.GOOS + "/" + runtime.GOARCH + "\n"; err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", id, got, err, want)
		}
	}
	if told.String() != "building\n" {
		t.Errorf("it told %q", told.String())
	}
}

// TestBuildThatFailsTellsWhatTheCompilerSaid shows that the error contains the function's name and the
// compiler's output.
func TestBuildThatFailsTellsWhatTheCompilerSaid(t *testing.T) {
	t.Parallel()
	o := newProject(t, "build-%:\n\t@echo main.go:7: undefined: x >&2; false\n")
	err := local.Build(t.Context(), o)
	expect.Contains(t, "error", fmt.Sprint(err), "Function")
	expect.Contains(t, "error", fmt.Sprint(err), "main.go:7: undefined: x")
}

// TestStackWithoutBuiltFunctionsSaysSo shows that a missing bootstrap is an error of the request, not of the start.
func TestStackWithoutBuiltFunctionsSaysSo(t *testing.T) {
	t.Parallel()
	s := startStack(t, func(o *local.Options) { o.Builds = t.TempDir() })
	get(t, s, "/echo").want(t, 500, internalServerError)
	localtest.WaitLog(t, s, "start EchoFunction")
}
