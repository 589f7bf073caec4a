// Package recent keeps the latest things that a stack has seen, in memory. CloudWatch would keep all of them.
package recent

import (
	"slices"
	"sync"
)

// Max is how many values a [List] keeps.
const Max = 1000

// List keeps the latest values. The zero List is empty. It is safe for concurrent use.
type List[T any] struct {
	mu   sync.Mutex
	last []T // oldest first
}

// Add adds a value. If the list is full, it drops the oldest one.
func (l *List[T]) Add(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == Max {
		l.last = slices.Delete(l.last, 0, 1)
	}
	l.last = append(l.last, value)
}

// Newest returns the values, newest first.
func (l *List[T]) Newest() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.last)
	slices.Reverse(all)
	return all
}
