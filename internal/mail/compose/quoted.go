package compose

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"strings"
)

// quotedLine is the length of a line of quoted-printable, without the = of its soft line break, RFC 2045 section 6.7.
const quotedLine = 75

// quotedPrintable appends a text in quoted-printable. Its line ends become CRLF.
func (b *buffer) quotedPrintable(text string) {
	if strings.Contains(text, "\r") { // quotedprintable drops the next LF after a lone CR, wherever it is
		text = lineEnds.Replace(text)
	}
	begin := len(b.bytes)
	w := quotedprintable.NewWriter(b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	if encoded := b.bytes[begin:]; bytes.HasPrefix(encoded, from) || bytes.Contains(encoded, lineOfFrom) {
		b.bytes = appendWithoutFrom(b.bytes[:begin], bytes.Clone(encoded))
	}
}

// Servers and readers that store mails in one file begin each mail with a "From " line. They write > before a line of
// text that begins so, which breaks the signature. Therefore the first letter of such a line is escaped (RFC 3156
// section 3).
var from, lineOfFrom = []byte("From "), []byte("\nFrom ")

const escapedFrom = "=46rom "

// appendWithoutFrom appends quoted-printable without lines that begin with "From ". The escape is two bytes longer: a
// line that gets too long is broken after it, and the rest is examined as a line of its own.
func appendWithoutFrom(to, encoded []byte) []byte {
	for line := range bytes.Lines(encoded) {
		for bytes.HasPrefix(line, from) {
			to, line = append(to, escapedFrom...), line[len(from):]
			if len(escapedFrom)+len(trimLineEnd(line)) <= quotedLine+len("=") {
				break
			}
			to = append(to, "=\r\n"...)
		}
		to = append(to, line...)
	}
	return to
}
