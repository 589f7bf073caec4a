package contention

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// reads is a lock that many reads hold at a time, or one transaction alone. It is no sync.RWMutex, because what holds
// it waits: in a bubble of [testing/synctest] time stands still while somebody waits for a mutex.
type reads struct{ tokens *semaphore.Weighted }

// allTokens is more than there are ever reads at a time.
const allTokens = 1 << 30

func newReads() reads { return reads{semaphore.NewWeighted(allTokens)} }

// share lets f read.
func (r reads) share(f func() *answer) *answer {
	_ = r.tokens.Acquire(context.Background(), 1) // such a context does not end
	defer r.tokens.Release(1)
	return f()
}

// exclude waits until nothing reads. Nothing reads until end is called.
func (r reads) exclude() (end func()) {
	_ = r.tokens.Acquire(context.Background(), allTokens)
	return func() { r.tokens.Release(allTokens) }
}
