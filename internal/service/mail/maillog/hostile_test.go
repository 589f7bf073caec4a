package maillog

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestEventsNeedLinearMemory reads details, header fields and addresses of pairs of pieces.
func TestEventsNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", "a@b.org ", "a/", "@", "\"", "\\\"", "=?utf-8?q?a?= ",
		"=?x?b?", "(", ")", "<a@b.org>", ",", "\xff",
	}
	expect.LinearMemoryOfPairs(t, 8_000, pieces, readAll)
}

func readAll(text string) {
	m := logged{names: spellingsOf([]string{"a@b.org"})}
	m.brief(text)
	header(text)
	bare(text)
}
