//go:build !windows

package processes

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file, exclusively or shared. Busy is true if another process holds a conflicting lock, or if the call
// was interrupted.
func tryLock(file *os.File, alone bool) (busy bool, err error) {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR), err
}
