//go:build !windows

package rebuild

import (
	"os/exec"
	"syscall"
)

// endTogether has make and the compiler end together, in a group of their own, and so that the compiler removes its
// temporary files.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
