package contentid

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestFindNeedsLinearMemory reads HTML of pairs of pieces.
func TestFindNeedsLinearMemory(t *testing.T) {
	pieces := []string{
		"cid:a ", "cid:", "%61", "<img src=cid:a>", "<p style='", "'>", "<style>", "</style>",
		"<!--", "-->", "a", " b=cid:a", "<img src=cid:", "<img srcset='",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, func(text string) { Find(text, []string{"a", "b"}) })
}
