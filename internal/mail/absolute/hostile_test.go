package absolute

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestHTMLNeedsLinearMemory reads pages of pairs of pieces.
func TestHTMLNeedsLinearMemory(t *testing.T) {
	page := parseURL(t, at)
	pieces := []string{
		"<a href=x>", "<a ", "href=x ", "'", "\"", ">", "<style>", "</style>", "url(x)", "url(", "<img srcset='",
		"a,b 1x,",
		"<!--[if a]>", "<![endif]", "-->", "<base href=/x>", "&#x2F;", "../", "=", "/", "a",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				read := func() { HTML(text, page, 1<<20) }
				return expect.Allocated(read)
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}
