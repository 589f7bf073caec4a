package lambda

import (
	"slices"
	"sync"
)

// maxLatest is how many values a latest keeps.
const maxLatest = 1000

// latest keeps the latest values. The zero latest is empty. It is safe for concurrent use.
type latest[T any] struct {
	mu   sync.Mutex
	list []T // oldest first
}

// add adds a value. If the list is full, it drops the oldest one.
func (l *latest[T]) add(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == maxLatest {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, value)
}

// newest returns the values, newest first.
func (l *latest[T]) newest() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.list)
	slices.Reverse(all)
	return all
}
