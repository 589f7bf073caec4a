package main

import (
	"slices"
	"testing"
)

// TestAWriteWithoutAnAnswerLeavesTwoStates until an observation decides between them.
func TestAWriteWithoutAnAnswerLeavesTwoStates(t *testing.T) {
	to := func(state string) func(string) string { return func(string) string { return state } }
	is := func(state string) func(string) bool { return func(s string) bool { return s == state } }
	exclaim := func(s string) string { return s + "!" }
	type model = states[string]
	for name, c := range map[string]struct {
		do   func(*model)
		want []string
	}{
		"an acknowledged write is the only state": {
			func(m *model) { m.acknowledged(to("b")) }, []string{"b"},
		},
		"one that is not leaves the state before": {
			func(m *model) { m.unknown(to("b")) }, []string{"a", "b"},
		},
		"repeated, it adds none": {
			func(m *model) { m.unknown(to("b")); m.unknown(to("b")) }, []string{"a", "b"},
		},
		"an acknowledged one ends what may have been": {
			func(m *model) { m.unknown(to("b")); m.acknowledged(to("c")) }, []string{"c"},
		},
		"a write of a part keeps what may have been": {
			func(m *model) { m.unknown(to("b")); m.acknowledged(exclaim) }, []string{"a!", "b!"},
		},
		"what is seen decides": {
			func(m *model) { m.unknown(to("b")); m.observe(is("b")) }, []string{"b"},
		},
		"what was never written is seen: nothing ends": {
			func(m *model) { m.unknown(to("b")); m.observe(is("x")) }, []string{"a", "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := model{"a"}
			c.do(&m)
			if !slices.Equal(m, c.want) {
				t.Errorf("%q, want %q", m, c.want)
			}
		})
	}
}
