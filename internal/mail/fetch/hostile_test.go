package fetch

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestHeadersOfServersNeedLinearMemory reads headers and texts of pairs of pieces. Of a disposition, only a bounded
// part is read.
func TestHeadersOfServersNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", ",", ";", "=", "a=b;", "filename=a ", "\"", "\\", "filename*0=a;", "''", "%41", "=?utf-8?b?YQ==?=",
		"=?x?b?", "\xff", "charset=utf-8;", "text/html", "<meta charset=utf-7>",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				read := func() { readAll(text) }
				return expect.Allocated(read)
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}

func readAll(text string) {
	for _, name := range dispositionNames("attachment; " + text) {
		sanitize(name)
	}
	servedType("text/html; " + text)
	_ = CheckType("text/html; " + text)
	for _, contentType := range []string{"text/html; " + text, text, "application/xhtml+xml"} {
		_, _, _, _ = File{Body: []byte(text), contentType: contentType}.Text()
	}
	urlName("https://e.org/" + text)
}
