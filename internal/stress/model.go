package main

import "slices"

// possible are the states that something may be in. A write that was acknowledged has been applied; of any other
// one nobody knows.
type possible[T comparable] []T

// surely notes a write that was acknowledged.
func (p *possible[T]) surely(write func(T) T) {
	var after possible[T]
	for _, state := range *p {
		after.include(write(state))
	}
	*p = after
}

// maybe notes a write that was not.
func (p *possible[T]) maybe(write func(T) T) {
	for _, state := range slices.Clone(*p) {
		p.include(write(state))
	}
}

func (p *possible[T]) include(state T) {
	if !slices.Contains(*p, state) {
		*p = append(*p, state)
	}
}

// only keeps the states that agree with what was seen, and is false if there is none: then all of them stay.
func (p *possible[T]) only(agrees func(T) bool) bool {
	var kept possible[T]
	for _, state := range *p {
		if agrees(state) {
			kept = append(kept, state)
		}
	}
	if kept == nil {
		return false
	}
	*p = kept
	return true
}

// allow reports whether what was seen agrees with one of the states.
func (p possible[T]) allow(agrees func(T) bool) bool { return slices.ContainsFunc(p, agrees) }
