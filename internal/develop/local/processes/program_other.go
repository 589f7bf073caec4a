//go:build !linux && !windows

package processes

import (
	"os/exec"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func forkChild(cmd *exec.Cmd) error { return cmd.Start() }
