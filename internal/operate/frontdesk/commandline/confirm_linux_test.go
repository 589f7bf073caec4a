package commandline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/terminaltest"

	"golang.org/x/sys/unix"
)

// TestConfirmAsksAtATerminal: only the whole word yes confirms. A "y" is not enough: a finger that slips must
// delete nothing.
func TestConfirmAsksAtATerminal(t *testing.T) {
	t.Parallel()
	for typed, confirmed := range map[string]bool{
		"yes\n": true, " yes \n": true, "no\n": false, "y\n": false, "\n": false,
	} {
		in, typing := terminaltest.Open(t)
		if _, err := io.WriteString(typing, typed); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		err := Output{in: in, err: escaper{&said}}.Confirm(t.Context(), "really?")
		expect.Equal(t, said.String(), "really? [yes/no] ")
		expect.Equal(t, err == nil, confirmed, fmt.Sprintf("%q confirms", typed))
	}
}

// TestConfirmAsksNobodyElse: not a file, a pipe, another reader or the null device. Without --yes nothing is done then.
// The null device is a character device as a terminal is, so a test of the file's mode alone would take it for one.
func TestConfirmAsksNobodyElse(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	for name, in := range map[string]io.Reader{"null": null, "pipe": read, "text": strings.NewReader("no\n")} {
		var said bytes.Buffer
		err := Output{in: in, err: escaper{&said}}.Confirm(t.Context(), "really?")
		expect.Equal(t, said.String(), "", name+": said")
		expect.Equal(t, ExitStatus(err), 2, name+": exit status")
		expect.Contains(t, fmt.Sprint(err), "--yes", name+": error")
		expect.Equal(t, Asking{Yes: true}.Confirm(t.Context(), Output{in: in}, "really?"), nil, name+" with --yes")
	}
}

// echoes reports whether the terminal shows what is typed.
func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return settings.Lflag&unix.ECHO != 0
}

// hidden waits until the terminal no longer shows what is typed, as it should be while a secret is read.
func hidden(t *testing.T, terminal *os.File) {
	t.Helper()
	for range 500 {
		if !echoes(t, terminal) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the terminal shows what is typed")
}

// TestASecretIsNotShown while it is typed, and the terminal is as before in the end. It is typed with carriage
// returns, because the terminal is in raw mode. In raw mode a Ctrl-C is a byte, 0x03, and no signal; "ended by
// others" is the signal of somebody else.
func TestASecretIsNotShown(t *testing.T) {
	t.Parallel()
	ends := func(cancel func(), _ io.Writer) { cancel() }
	types := func(lines ...string) func(func(), io.Writer) {
		return func(_ func(), typing io.Writer) { io.WriteString(typing, strings.Join(lines, "")) }
	}
	for name, c := range map[string]struct {
		does func(cancel func(), typing io.Writer)
		want string
		err  error
	}{
		"typed twice":     {does: types("correct horse\r", "correct horse\r"), want: "correct horse"},
		"typed otherwise": {does: types("correct horse\r", "correct house\r"), err: errDiffer},
		"ended by Ctrl-C": {does: types("correct horse\x03"), err: errEnded},
		"ended by Ctrl-D": {does: types("\x04"), err: errEnded},
		"ended by others": {does: ends, err: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, typing := terminaltest.Open(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				hidden(t, in)
				c.does(cancel, typing)
			}()
			var said bytes.Buffer
			got, err := Output{in: in, err: escaper{&said}}.ReadSecret(ctx, "password")
			expect.Equal(t, errors.Is(err, c.err), true)
			expect.Equal(t, got, c.want)
			expect.Equal(t, echoes(t, in), true, "the terminal echoes")
			expect.Lacks(t, said.String(), "horse")
			expect.Contains(t, said.String(), "password: ")
		})
	}
}
