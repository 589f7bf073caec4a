// Package recent keeps the last of what a stack has seen, in memory, where CloudWatch keeps all of it.
package recent

import (
	"slices"
	"sync"
)

// Max is how many values a List keeps.
const Max = 1000

// List keeps the last values that were added. The zero List is empty. It is safe for concurrent use.
type List[T any] struct {
	mu   sync.Mutex
	last []T // oldest first
}

// Add forgets the oldest value where there is no room for another.
func (l *List[T]) Add(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == Max {
		l.last = slices.Delete(l.last, 0, 1)
	}
	l.last = append(l.last, value)
}

// Newest are the values, newest first.
func (l *List[T]) Newest() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.last)
	slices.Reverse(all)
	return all
}
