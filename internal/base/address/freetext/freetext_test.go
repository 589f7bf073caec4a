package freetext

import (
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestAddressesIn shows which addresses may stand in a text, and that none has a local part that is too long.
func TestAddressesIn(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"an address": {"ada@example.org", []string{"ada@example.org"}},
		"in a URL": {"https/to=ada%40example.org", []string{
			"ada@example.org", "https/to=ada@example.org", "to=ada@example.org",
		}},
		"between marks":        {"//'ada'@example.org.", []string{"ada@example.org"}},
		"64 bytes":             {strings.Repeat("a", 64) + "@b.org", []string{strings.Repeat("a", 64) + "@b.org"}},
		"65 bytes":             {strings.Repeat("a", 65) + "@b.org", nil},
		"behind a longer text": {strings.Repeat("a", 65) + "/ada@b.org", []string{"ada@b.org"}},
	} {
		t.Run(name, func(t *testing.T) { expect.Equal(t, AddressesIn(c.in), c.want, "AddressesIn(in)") })
	}
}
