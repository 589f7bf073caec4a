package commandline

import (
	"bufio"
	"io"
)

// byteOrderMark is what spreadsheets and editors of Windows write at the beginning of UTF-8 text.
const byteOrderMark = "\ufeff"

// Text reads a text without the byte order mark at its beginning. Left in place, the mark would be part of the first
// value, and JSON does not allow it. RFC 8259 section 8.1 lets a reader ignore it.
func Text(in io.Reader) *bufio.Reader {
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark))
	}
	return text
}
