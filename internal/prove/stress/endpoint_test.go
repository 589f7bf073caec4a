package main

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"frontdesk/internal/prove/fixture"
)

// TestEveryEndpointIsUnderLoad: a client of the load suite calls each function that a route leads to.
func TestEveryEndpointIsUnderLoad(t *testing.T) {
	t.Parallel()
	for _, r := range fixture.Requests {
		name := kebab(r.Function)
		called := slices.ContainsFunc(endpoints, func(e *endpoint) bool {
			program, _, _ := strings.Cut(e.name, ",")
			return program == name
		})
		if !called && r.Operation != "" {
			t.Errorf("endpoints lacks %s", name)
		}
	}
}

// kebab returns the folder of a function.
func kebab(function string) string {
	var name strings.Builder
	for i, c := range function {
		if unicode.IsUpper(c) && i > 0 {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(c))
	}
	return name.String()
}
