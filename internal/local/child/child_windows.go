package child

import (
	"os"
	"os/exec"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func forkChild(cmd *exec.Cmd) error { return cmd.Start() }

// signalGroup ends a program. Windows has no signals, and what the program started goes on: make run is for Windows'
// Linux (WSL), and the tool's other commands start nothing.
func signalGroup(leader *os.Process, _ syscall.Signal) { _ = leader.Kill() }
