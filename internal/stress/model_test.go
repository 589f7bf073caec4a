package main

import (
	"slices"
	"testing"
)

func TestPossibleStates(t *testing.T) {
	to := func(state string) func(string) string { return func(string) string { return state } }
	for name, c := range map[string]struct {
		do   func(*possible[string])
		want []string
	}{
		"an acknowledged write is the only state":      {func(p *possible[string]) { p.surely(to("b")) }, []string{"b"}},
		"one that is not leaves the state before":      {func(p *possible[string]) { p.maybe(to("b")) }, []string{"a", "b"}},
		"repeated, it adds none":                       {func(p *possible[string]) { p.maybe(to("b")); p.maybe(to("b")) }, []string{"a", "b"}},
		"an acknowledged one ends what may have been":  {func(p *possible[string]) { p.maybe(to("b")); p.surely(to("c")) }, []string{"c"}},
		"a write of a part keeps what may have been":   {func(p *possible[string]) { p.maybe(to("b")); p.surely(func(s string) string { return s + "!" }) }, []string{"a!", "b!"}},
		"what is seen decides":                         {func(p *possible[string]) { p.maybe(to("b")); p.only(func(s string) bool { return s == "b" }) }, []string{"b"}},
		"what was never written is seen: nothing ends": {func(p *possible[string]) { p.maybe(to("b")); p.only(func(s string) bool { return s == "x" }) }, []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := possible[string]{"a"}
			c.do(&p)
			if !slices.Equal(p, c.want) {
				t.Errorf("%q, want %q", p, c.want)
			}
		})
	}
}
