package compose

import (
	"cmp"
	"io"
	"slices"
)

// Content is a finished message, or one end of it. Its files are encoded as it is read, so that nothing of their size
// is in memory besides. Any number of readers may read it at once.
type Content struct{ pieces []piece }

// piece is some of a content: text as it is, and the base64 of a file behind it.
type piece struct {
	text, file []byte
	end        int64 // in the content
}

func (c *Content) add(text, file []byte) {
	c.pieces = append(c.pieces, piece{text, file, c.Size() + int64(len(text)+base64Size(len(file)))})
}

// Size is the length in bytes.
func (c *Content) Size() int64 {
	if len(c.pieces) == 0 {
		return 0
	}
	return c.pieces[len(c.pieces)-1].end
}

// ReadAt implements [io.ReaderAt]. It fails at the end alone.
func (c *Content) ReadAt(p []byte, offset int64) (n int, err error) {
	i, _ := slices.BinarySearchFunc(c.pieces, offset+1, func(p piece, end int64) int { return cmp.Compare(p.end, end) })
	for ; n < len(p); i++ {
		if i == len(c.pieces) {
			return n, io.EOF
		}
		for piece := c.pieces[i]; n < len(p) && offset+int64(n) < piece.end; {
			n += piece.read(p[n:], int(piece.end-offset)-n)
		}
	}
	return n, nil
}

// read reads at least one byte of what ends so many bytes later.
func (p piece) read(into []byte, left int) int {
	encoded := base64Size(len(p.file))
	if left > encoded {
		return copy(into, p.text[len(p.text)-(left-encoded):])
	}
	return readLines(into, p.file, encoded-left)
}

// Bytes is the content in one piece.
func (c *Content) Bytes() []byte {
	all := make([]byte, c.Size())
	_, _ = c.ReadAt(all, 0)
	return all
}
