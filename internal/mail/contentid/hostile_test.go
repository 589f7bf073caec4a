package contentid

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestFindNeedsLinearMemory reads HTML of pairs of pieces.
func TestFindNeedsLinearMemory(t *testing.T) {
	pieces := []string{
		"cid:a ", "cid:", "%61", "<img src=cid:a>", "<p style='", "'>", "<style>", "</style>",
		"<!--", "-->", "a", " b=cid:a", "<img src=cid:", "<img srcset='",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				read := func() { Find(text, []string{"a", "b"}) }
				return expect.Allocated(read)
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}
