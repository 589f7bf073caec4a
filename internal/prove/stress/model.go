package main

import "slices"

// states is the model of something whose writes may fail: the set of states that it can be in. An acknowledged write
// has been applied; a write with an unknown outcome may have been.
type states[T comparable] []T

// acknowledged records a write that has been applied.
func (s *states[T]) acknowledged(write func(T) T) {
	before := *s
	*s = nil
	for _, state := range before {
		s.include(write(state))
	}
}

// unknown records a write that may have been applied.
func (s *states[T]) unknown(write func(T) T) {
	for _, state := range slices.Clone(*s) {
		s.include(write(state))
	}
}

// include adds a state, unless the model has it: a write that changes nothing leaves one state, not two.
func (s *states[T]) include(state T) {
	if !slices.Contains(*s, state) {
		*s = append(*s, state)
	}
}

// observe keeps the states that match an observation. If none does, it returns false and keeps all.
func (s *states[T]) observe(matches func(T) bool) bool {
	kept := slices.DeleteFunc(slices.Clone(*s), func(state T) bool { return !matches(state) })
	if len(kept) == 0 {
		return false
	}
	*s = kept
	return true
}
