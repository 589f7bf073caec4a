package processes

import (
	"os"
	"os/exec"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func forkChild(cmd *exec.Cmd) error { return cmd.Start() }

// signalGroup ends a program. Windows has no signals, so whatever the program started continues. On Windows, make run
// is meant for WSL, and the tool's other commands start nothing.
func signalGroup(leader *os.Process, _ syscall.Signal) { _ = leader.Kill() }
