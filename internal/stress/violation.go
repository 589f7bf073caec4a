package main

import (
	"fmt"
	"sync"
)

// violations are what must not have happened and did. The zero value is ready; it is safe for concurrent use.
type violations struct {
	mu   sync.Mutex
	list []string
}

// maxShown is how many violations are printed: the first tell what is wrong.
const maxShown = 40

func (v *violations) add(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, fmt.Sprintf(format, args...))
}

// shown are the first of them, and how many there are.
func (v *violations) shown() (first []string, all int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list[:min(len(v.list), maxShown)], len(v.list)
}
