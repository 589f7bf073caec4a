package commandline

import (
	"bufio"
	"context"
	"io"
)

// byteOrderMark is what spreadsheets and editors of Windows write at the beginning of UTF-8 text.
const byteOrderMark = "\ufeff"

// Text reads a text without the byte order mark at its beginning. Left in place, the mark would be part of the first
// value, and JSON does not allow it. RFC 8259 section 8.1 lets a reader ignore it. When the context ends, a read that
// waits for input ends with the context's error.
func Text(ctx context.Context, in io.Reader) *bufio.Reader {
	text := bufio.NewReader(interruptible{ctx, in})
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark))
	}
	return text
}

// interruptible reads until its context ends.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

// Read reads into bytes of its own, because a read that was given up may still write there.
func (r interruptible) Read(p []byte) (int, error) {
	buffer := make([]byte, len(p))
	n, err := await(r.ctx, func() (int, error) { return r.in.Read(buffer) })
	return copy(p, buffer[:n]), err
}
