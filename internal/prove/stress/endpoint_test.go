package main

import (
	"slices"
	"testing"

	"frontdesk/internal/prove/fixture"
)

// TestEveryEndpointIsUnderLoad: a client of the load suite calls each function that a route leads to.
func TestEveryEndpointIsUnderLoad(t *testing.T) {
	t.Parallel()
	for _, r := range fixture.Requests {
		called := slices.ContainsFunc(endpoints, func(e *endpoint) bool { return e.program() == r.Program() })
		if r.Operation != "" && !called {
			t.Errorf("endpoints lacks %s", r.Program())
		}
	}
}
