//go:build !windows

package child

import (
	"os"
	"syscall"
)

// signalGroup signals a program and all that it started.
func signalGroup(leader *os.Process, s syscall.Signal) { _ = syscall.Kill(-leader.Pid, s) }
