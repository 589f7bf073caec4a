package compose

import "slices"

// buffer collects a message.
type buffer struct {
	bytes []byte // without the files
	files []spot
}

// spot is the place of a file, which is encoded when the message is read.
type spot struct {
	at   int // offset in the bytes of its buffer
	file []byte
}

// Write appends p; it never fails. It makes buffer an [io.Writer] for the encoders of the standard library.
func (b *buffer) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

func (b *buffer) append(s string) { b.bytes = append(b.bytes, s...) }

// field appends a header field. The value must already be folded.
func (b *buffer) field(name, value string) { b.append(name + ": " + value + "\r\n") }

// base64 appends a text in lines of base64.
func (b *buffer) base64(src []byte) {
	at, size := len(b.bytes), base64Size(len(src))
	b.bytes = slices.Grow(b.bytes, size)[:at+size]
	encodeLines(b.bytes[at:], src)
}

// file adds a file at this place. Its base64 is not written here, but each time the message is read.
func (b *buffer) file(body []byte) { b.files = append(b.files, spot{len(b.bytes), body}) }

// content returns what was written. Nothing may be written to the buffer afterwards, because the content shares
// its bytes.
func (b *buffer) content() *Content {
	c, at := &Content{}, 0
	for _, f := range b.files {
		c.add(b.bytes[at:f.at], f.file)
		at = f.at
	}
	c.add(b.bytes[at:], nil)
	return c
}
