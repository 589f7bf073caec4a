package absolute

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestHTMLNeedsLinearMemory reads pages of pairs of pieces.
func TestHTMLNeedsLinearMemory(t *testing.T) {
	page := parseURL(t, at)
	pieces := []string{
		"<a href=x>", "<a ", "href=x ", "'", "\"", ">", "<style>", "</style>", "url(x)", "url(", "<img srcset='",
		"a,b 1x,",
		"<!--[if a]>", "<![endif]", "-->", "<base href=/x>", "&#x2F;", "../", "=", "/", "a",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, func(text string) { HTML(text, page, 1<<20) })
}
