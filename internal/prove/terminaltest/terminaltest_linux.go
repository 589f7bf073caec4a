// Package terminaltest opens pseudo-terminals, for tests of what a program asks and shows at a terminal.
package terminaltest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Open opens a pseudo-terminal. program is the side that a program has as its terminal; on the other side, person
// types and reads. Both are closed when the test ends.
// https://man7.org/linux/man-pages/man7/pty.7.html
func Open(t testing.TB) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	// The program's side is locked until TIOCSPTLCK unlocks it with 0, and TIOCGPTN tells its number, as
	// posix_openpt, unlockpt and ptsname do in C.
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value)))
		if failed != 0 {
			t.Fatal(failed)
		}
	}
	// O_NOCTTY keeps it from becoming the controlling terminal of the test, whose Ctrl-C would then come from there.
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return program, person
}

// Resize gives a pseudo-terminal a width, as a person does with a window.
func Resize(t testing.TB, person *os.File, columns uint16) {
	t.Helper()
	size := [4]uint16{24, columns} // struct winsize: rows, columns, and pixels, which nobody needs
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	if failed != 0 {
		t.Fatal(failed)
	}
}
