//go:build !windows

package processes

import (
	"os"
	"syscall"
)

// signalGroup signals a program and everything it has started.
func signalGroup(leader *os.Process, s syscall.Signal) { _ = syscall.Kill(-leader.Pid, s) }
