package account

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/develop/local/processes"
)

// lockWait is how long the previous stack on a folder may take to end.
const lockWait = time.Second

// lock locks the data for this stack. It writes the process id and the stack's address into the lock file.
func lock(ctx context.Context, data, url string) (unlock func() error, err error) {
	path := filepath.Join(data, "lock")
	release, err := processes.Lock(ctx, path)
	if err != nil {
		// Who holds the lock tells more than that the wait was too long.
		return nil, errors.Join(CheckUnlocked(data), err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d %s\n", os.Getpid(), url), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the data: %w", err), release())
	}
	// Emptied before it is released, so nobody reads the address of a stack that has ended.
	return func() error { return errors.Join(os.Truncate(path, 0), release()) }, nil
}

// CheckUnlocked returns an error that names the process and the address of the stack that has locked the folder, or
// nil.
func CheckUnlocked(data string) error {
	path := filepath.Join(data, "lock")
	if !processes.Locked(path) {
		return nil
	}
	var process int
	var url string
	text, _ := os.ReadFile(path)
	// The file is empty between the lock and the write, and while the stack ends.
	if _, err := fmt.Sscan(string(text), &process, &url); err != nil {
		return fmt.Errorf("another stack is starting, or ending, on the data in %s", data)
	}
	return fmt.Errorf("a stack runs on the data in %s already: process %d, %s; use it, or end it: kill %d",
		data, process, url, process)
}
