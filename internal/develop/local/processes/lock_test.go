package processes

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// TestLockIsWaitedForAsLongAsAnybodyWants shows that the context ends the wait, and that a released lock is taken.
func TestLockIsWaitedForAsLongAsAnybodyWants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", ".lock")
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !Locked(path) {
		t.Error("the file is not seen to be locked")
	}
	// Another wait in the same process is refused as well: the lock belongs to the open file, not to the process.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { unlock() })
	again, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatalf("a lock that becomes free: %v", err)
	}
	again()
	expect.Equal(t, Locked(path), false)
	expect.Equal(t, Locked(path+"-none"), false)
}
