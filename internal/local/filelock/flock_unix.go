//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file, for this process alone or for all that read it. It is busy where another process has it locked
// otherwise, and where the call was interrupted.
func tryLock(file *os.File, alone bool) (busy bool, err error) {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR), err
}
