package compose

import "slices"

// buffer is a message that is being written, or one end of it.
type buffer struct {
	bytes []byte // without the files
	files []spot
	shut  bool // what is written is left out: it is the other end's
}

// spot is where a file stands that is encoded when the message is read.
type spot struct {
	at   int // in the bytes of its buffer
	file []byte
}

// turn goes over from one end of a message to the other.
func (b *buffer) turn() { b.shut = !b.shut }

// Write appends; it never fails. It makes a buffer an io.Writer for the standard library's encoders.
func (b *buffer) Write(p []byte) (int, error) {
	if !b.shut {
		b.bytes = append(b.bytes, p...)
	}
	return len(p), nil
}

func (b *buffer) append(s string) {
	if !b.shut {
		b.bytes = append(b.bytes, s...)
	}
}

func (b *buffer) field(name, value string) { b.append(name + ": " + value + "\r\n") }

// base64 appends a text in base64.
func (b *buffer) base64(src []byte) {
	at, size := len(b.bytes), base64Size(len(src))
	b.bytes = slices.Grow(b.bytes, size)[:at+size]
	encodeLines(b.bytes[at:], src)
}

// file appends a file in base64: it is encoded when the message is read.
func (b *buffer) file(body []byte) { b.files = append(b.files, spot{len(b.bytes), body}) }

// content is what was written. The buffer must not be written to any more.
func (b *buffer) content() *Content {
	c, at := &Content{}, 0
	for _, f := range b.files {
		c.add(b.bytes[at:f.at], f.file)
		at = f.at
	}
	c.add(b.bytes[at:], nil)
	return c
}
