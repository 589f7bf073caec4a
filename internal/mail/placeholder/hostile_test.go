package placeholder

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestTemplatesNeedLinearMemory parses and writes texts of pairs of pieces.
func TestTemplatesNeedLinearMemory(t *testing.T) {
	pieces := []string{
		"{", "}", "{A}", "{{A}}", "{B}", "<!--[if ", "<style>", "</style>", "<a {", "'", ">", "a",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				return expect.Allocated(func() { _, _ = write(text, Values{"A": "b"}) })
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}
