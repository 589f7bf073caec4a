package localtest

import (
	"sync"
	"testing"
)

// outsideBubbles returns a function that runs others on a goroutine outside every bubble of [testing/synctest], one
// after the other. Meanwhile the clock of the bubble stands still, and no connection stays in the bubble.
func outsideBubbles(t testing.TB) func(func()) {
	calls, done := make(chan func()), make(chan struct{})
	go func() {
		for f := range calls {
			f()
			done <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(calls) })
	var one sync.Mutex
	return func(f func()) {
		one.Lock()
		defer one.Unlock()
		calls <- f
		<-done
	}
}
