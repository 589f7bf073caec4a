package compose

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"strings"
)

// quotedLine is the length of a line of quoted-printable before its soft break, RFC 2045 section 6.7.
const quotedLine = 75

// quotedPrintable appends a text in quoted-printable.
func (b *buffer) quotedPrintable(text string) {
	if strings.Contains(text, "\r") { // after a lone CR quotedprintable drops the next LF, wherever it is
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

// Servers and readers that keep mails in one file begin each with a line of "From ", and write > before such a line of
// a text, which is then another one than was signed. So its first letter is written as an escape (RFC 3156 section 3).
var from, lineOfFrom = []byte("From "), []byte("\nFrom ")

const escapedFrom = "=46rom "

// appendWithoutFrom appends quoted-printable of which no line begins with "From ". A line that gets too long by that is
// broken behind the escape.
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
