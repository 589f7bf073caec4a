package compose

import (
	"encoding/base64"
	"slices"
)

const (
	// base64Line is the encoded length of a line of base64, RFC 2045 section 6.8; it holds base64Input bytes.
	base64Line  = 76
	base64Input = base64Line / 4 * 3
	// quotedLine is the length of a line of quoted-printable before its soft break, RFC 2045 section 6.7.
	quotedLine = 75
)

// buffer is a message that is being written, or one end of it.
type buffer struct {
	bytes []byte
	shut  bool // what is written is left out: it is the other end's
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

// base64 appends src in lines of 76 characters. It encodes where the result stands, so that a large file is copied
// once.
func (b *buffer) base64(src []byte) {
	b.bytes = slices.Grow(b.bytes, base64Size(len(src)))
	for len(src) > 0 {
		line := src[:min(base64Input, len(src))]
		at := len(b.bytes)
		b.bytes = b.bytes[:at+base64.StdEncoding.EncodedLen(len(line))]
		base64.StdEncoding.Encode(b.bytes[at:], line)
		b.bytes = append(b.bytes, '\r', '\n')
		src = src[len(line):]
	}
}

// base64Size is the length of n bytes once written by base64.
func base64Size(n int) int {
	lines := (n + base64Input - 1) / base64Input
	return base64.StdEncoding.EncodedLen(n) + 2*lines
}
