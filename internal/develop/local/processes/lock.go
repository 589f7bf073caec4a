package processes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// retry is the pause before Lock tries again.
const retry = 20 * time.Millisecond

// Lock waits until no other process has locked the file, and locks it. The lock ends with unlock, or with this process.
// So test binaries may build into the same folder.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		// Polling, because a call that waits would ignore the context.
		busy, err := tryLock(file, true)
		if err == nil {
			return file.Close, nil
		}
		if busy {
			select {
			case <-time.After(retry):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}

// Locked reports whether a process has locked the file.
func Locked(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	busy, _ := tryLock(file, false)
	return busy
}
