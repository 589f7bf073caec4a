package commandline

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"frontdesk/internal/expect"
)

// terminal is a pseudo-terminal, and what types on it.
func terminal(t *testing.T) (in, typing *os.File) {
	t.Helper()
	typing, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { typing.Close() })
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, typing.Fd(), request, uintptr(unsafe.Pointer(value)))
		if failed != 0 {
			t.Fatal(failed)
		}
	}
	in, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in, typing
}

// TestConfirmAsksAtATerminal, where nothing but yes is one.
func TestConfirmAsksAtATerminal(t *testing.T) {
	t.Parallel()
	for typed, confirmed := range map[string]bool{
		"yes\n": true, " yes \n": true, "no\n": false, "y\n": false, "\n": false,
	} {
		in, typing := terminal(t)
		if _, err := io.WriteString(typing, typed); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		err := Output{err: escaper{&said}}.Confirm(in, "really?")
		expect.Equal(t, "said", said.String(), "really? [yes/no] ")
		expect.Equal(t, fmt.Sprintf("%q confirms", typed), err == nil, confirmed)
	}
}

// TestConfirmAsksNobodyElse: not a file, a pipe, another reader or the null device.
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
		if err := (Output{err: escaper{&said}}).Confirm(in, "really?"); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v, said %q", name, err, said.String())
		}
	}
}
