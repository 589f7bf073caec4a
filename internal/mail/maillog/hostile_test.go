package maillog

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestEventsNeedLinearMemory reads details, header fields and addresses of pairs of pieces.
func TestEventsNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", "a@b.org ", "a/", "@", "\"", "\\\"", "=?utf-8?q?a?= ",
		"=?x?b?", "(", ")", "<a@b.org>", ",", "\xff",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				read := func() { readAll(text) }
				return expect.Allocated(read)
			}
			expect.Linear(t, one+"…"+other, 8_000, memory(8_000), memory(2*8_000))
		}
	}
}

func readAll(text string) {
	m := logged{names: spellingsOf([]string{"a@b.org"})}
	m.brief(text)
	header(text)
	bare(text)
}
