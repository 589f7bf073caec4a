package placeholder

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestTemplatesNeedLinearMemory parses and writes texts of pairs of pieces.
func TestTemplatesNeedLinearMemory(t *testing.T) {
	pieces := []string{
		"{", "}", "{A}", "{{A}}", "{B}", "<!--[if ", "<style>", "</style>", "<a {", "'", ">", "a",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, func(text string) { _, _ = write(text, Values{"A": "b"}) })
}

// TestAddressesNeedLinearMemory reads HTML of pairs of pieces.
func TestAddressesNeedLinearMemory(t *testing.T) {
	pieces := []string{"{", "}", "{A}", "{B}", "<a href='", "<a href=", "href={A} ", "'", ">", "&amp;", "<!--", "a"}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, func(text string) {
		WithinAddresses(text, map[string]bool{"A": true})
	})
}
