package fetch

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestHeadersOfServersNeedLinearMemory reads headers and texts of pairs of pieces. Of a disposition, only a bounded
// part is read.
func TestHeadersOfServersNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", ",", ";", "=", "a=b;", "filename=a ", "\"", "\\", "filename*0=a;", "''", "%41", "=?utf-8?b?YQ==?=",
		"=?x?b?", "\xff", "charset=utf-8;", "text/html", "<meta charset=utf-7>",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, readAll)
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
