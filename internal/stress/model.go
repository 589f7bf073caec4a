package main

import "slices"

// states is the model of something whose writes may fail: the set of states that it may be in. A write that was
// acknowledged has been applied; one whose outcome is unknown may have been.
type states[T comparable] []T

// acknowledged notes a write that has been applied.
func (s *states[T]) acknowledged(write func(T) T) {
	before := *s
	*s = nil
	for _, state := range before {
		s.include(write(state))
	}
}

// unknown notes a write that may have been applied.
func (s *states[T]) unknown(write func(T) T) {
	for _, state := range slices.Clone(*s) {
		s.include(write(state))
	}
}

func (s *states[T]) include(state T) {
	if !slices.Contains(*s, state) {
		*s = append(*s, state)
	}
}

// observe keeps the states that match what was seen. It is false if none does: then all of them stay.
func (s *states[T]) observe(matches func(T) bool) bool {
	kept := slices.DeleteFunc(slices.Clone(*s), func(state T) bool { return !matches(state) })
	if len(kept) == 0 {
		return false
	}
	*s = kept
	return true
}
