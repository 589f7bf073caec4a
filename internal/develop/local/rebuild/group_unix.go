//go:build !windows

package rebuild

import (
	"os/exec"
	"syscall"
)

// endTogether puts make and the compiler into a process group, so that they end together. An interrupt, unlike a kill,
// lets the compiler remove its temporary files.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
