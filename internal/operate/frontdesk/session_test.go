package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// run runs a command line without input.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	return newSession(stdout).run(ctx, args)
}

// newSession returns a session without input, whose DNS has no records and whose standard error goes nowhere.
func newSession(stdout io.Writer) session {
	streams := commandline.Streams{In: strings.NewReader(""), Out: stdout, Err: io.Discard}
	return session{streams, network{records(nil).lookup, machine.dial}}
}

// shell is an operator's shell: its commands work on a local stack, as --local finds it. It belongs to one test;
// other tests may share the stack.
type shell struct {
	testing.TB
	*fixture.Stack
	session
	file string // file of the stack's variables
}

// onStack starts a simulated stack, and returns a shell of its operator.
func onStack(t testing.TB, change ...func(*local.Options)) *shell {
	t.Helper()
	return shellOf(t, fixture.Start(t, change...))
}

// onProcesses is onStack for a stack of real processes.
func onProcesses(t testing.TB, change ...func(*local.Options)) *shell {
	t.Helper()
	return shellOf(t, fixture.StartBootstraps(t, append(change, onDatabase)...))
}

// shellOf returns a shell for a stack that a test has started itself. Its file is like the demo.env that a local
// stack writes, without the tenant's credentials.
func shellOf(t testing.TB, stack *fixture.Stack) *shell {
	t.Helper()
	variables := maps.Clone(stack.Environ())
	variables["BASE_URL"], variables["CONSOLE_URL"] = stack.URL(), stack.URL()+"/_local"
	o := &shell{t, stack, newSession(io.Discard), variablesFile(t, variables)}
	o.dial = stack.Network().Dial
	return o
}

// deployed returns a shell in which nothing shows that the stack runs on this machine. Its file lacks CONSOLE_URL, by
// which the tool knows a local stack.
func (o *shell) deployed() *shell {
	o.Helper()
	return &shell{o.TB, o.Stack, o.session, variablesFile(o.TB, o.Environ())}
}

// variablesFile writes a new file of variables, and returns its path.
func variablesFile(t testing.TB, variables map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.env")
	setVariables(t, file, variables)
	return file
}

// setVariables writes the variables' file as a local stack does when it starts.
func setVariables(t testing.TB, file string, variables map[string]string) {
	t.Helper()
	var text strings.Builder
	for name, value := range variables {
		fmt.Fprintf(&text, "%s='%s'\n", name, value)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// variablesOf reads such a file.
func variablesOf(t testing.TB, file string) map[string]string {
	t.Helper()
	variables, err := target.ReadVariables(file)
	if err != nil {
		t.Fatal(err)
	}
	return variables
}

// frontdesk runs one command line, and returns what it printed.
func frontdesk(t testing.TB, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// frontdesk runs one command line on the stack, and returns what it printed.
func (o *shell) frontdesk(args ...string) (string, error) {
	var out bytes.Buffer
	s := o.session
	s.Out = &out
	err := s.run(o.Context(), append([]string{"--local=" + o.file}, args...))
	return out.String(), err
}

// prints runs a command line that has to succeed, and returns what it printed.
func (o *shell) prints(args ...string) string {
	o.Helper()
	out, err := o.frontdesk(args...)
	if err != nil {
		o.Fatalf("%q: %v, printed %q", args, err, out)
	}
	return out
}

// printed runs a command line that has to succeed and print JSON. Fields that T does not have are ignored.
func printed[T any](o *shell, args ...string) (v T) {
	o.Helper()
	out := o.prints(append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		o.Fatalf("%q printed %q: %v", args, out, err)
	}
	return v
}

// The JSON that the commands print.
type (
	// These types are written again here, so that a changed name in the tool's JSON fails a test.
	mailKeyView struct {
		ID        id.ID
		Name      string
		Sender    string
		From      []string
		Daily     int
		RevokedAt *time.Time `json:"revoked_at"`

		Redirect      string
		RedirectAllow []string `json:"redirect_allow"`
	}
	platformAppView struct {
		ID        id.ID
		Name      string
		LoginURL  string     `json:"login_url"`
		MayImport bool       `json:"may_import_hashes"`
		CreatedAt time.Time  `json:"created_at"`
		RevokedAt *time.Time `json:"revoked_at"`
	}
	portalView struct {
		Account       id.ID
		Slug, Name    string
		Locales       []string
		DefaultLocale string `json:"default_locale"`
		Public        bool
	}
)

// refused is a command line that must fail, with a part of the error.
type refused struct {
	args []string
	want string
}

// mustRefuse runs command lines that fail without printing anything. The reason has to be one line: a script logs it,
// and a person reads it at once.
func mustRefuse(o *shell, cases map[string]refused) {
	for name, c := range cases {
		localtest.Case(o.TB, name, func(t testing.TB) {
			_, err := o.frontdesk(c.args...)
			expect.Contains(t, fmt.Sprint(err), c.want)
			expect.Lacks(t, fmt.Sprint(err), "\n")
		})
	}
}
