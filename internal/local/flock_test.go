package local

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestLockIsWaitedForAsLongAsAnybodyWants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", ".lock")
	unlock, err := lockFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockFile(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { unlock() })
	if _, err := lockFile(t.Context(), path); err != nil {
		t.Errorf("a lock that becomes free: %v", err)
	}
}
