package compose

import (
	"cmp"
	"io"
	"slices"
)

// Content is a finished message, or one end of it. It encodes the files while it is read, so that no second copy of
// their size is in memory. Any number of readers may use it at once.
type Content struct{ pieces []piece }

// piece is a part of a content: a text as it is, followed by the base64 of a file. Both may be empty.
type piece struct {
	text, file []byte
	end        int64 // offset in the content
}

func (c *Content) add(text, file []byte) {
	c.pieces = append(c.pieces, piece{text, file, c.Size() + int64(len(text)+base64Size(len(file)))})
}

// Size returns the length in bytes.
func (c *Content) Size() int64 {
	if len(c.pieces) == 0 {
		return 0
	}
	return c.pieces[len(c.pieces)-1].end
}

// ReadAt implements [io.ReaderAt]. Its only error is [io.EOF].
func (c *Content) ReadAt(p []byte, offset int64) (n int, err error) {
	// The first piece that ends behind offset has the byte there.
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

// read copies at least one byte of the piece, beginning left bytes before its end.
func (p piece) read(into []byte, remaining int) int {
	encoded := base64Size(len(p.file))
	if remaining > encoded {
		return copy(into, p.text[len(p.text)-(remaining-encoded):])
	}
	return readLines(into, p.file, encoded-remaining)
}

// Bytes returns the whole content, with its files encoded.
func (c *Content) Bytes() []byte {
	all := make([]byte, c.Size())
	_, _ = c.ReadAt(all, 0)
	return all
}
