package main

import (
	"strings"
	"testing"
)

// want checks that there is exactly one violation with this text, or none if the text is "".
func (v *violations) want(t *testing.T, said string) {
	t.Helper()
	switch {
	case said == "" && len(v.list) > 0:
		t.Errorf("violations: %q", v.list)
	case said != "" && (len(v.list) != 1 || !strings.Contains(v.list[0], said)):
		t.Errorf("violations: %q, want one with %q", v.list, said)
	}
}
