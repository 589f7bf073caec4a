package compose

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"slices"
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
	encoded := b.bytes[begin:]
	for _, c := range changed {
		if bytes.HasPrefix(encoded, c.beginning) || bytes.Contains(encoded, slices.Concat([]byte("\n"), c.beginning)) {
			b.bytes = appendUnchanged(b.bytes[:begin], bytes.Clone(encoded))
			return
		}
	}
}

// changed are the beginnings of lines that servers may change on the way, which breaks the signature, and how they are
// written instead. Servers and readers that store mails in one file begin each mail with a "From " line, and write >
// before a line of text that begins so (RFC 3156 section 3). SMTP doubles a dot at the start of a line (RFC 5321
// section 4.5.2). Some servers do not, or do not take it away again: then a dot is lost or one too many, or a line of
// one dot ends the mail (RFC 2049 section 3).
var changed = []struct{ beginning, escaped []byte }{
	{[]byte("From "), []byte("=46rom ")},
	{[]byte("."), []byte("=2E")},
}

// appendUnchanged appends quoted-printable without lines that servers change. An escape is two bytes longer: a line
// that gets too long is broken after it, and the rest is examined as a line of its own.
func appendUnchanged(to, encoded []byte) []byte {
	for line := range bytes.Lines(encoded) {
		for {
			escaped, rest := cutChanged(line)
			to, line = append(to, escaped...), rest
			if len(escaped) == 0 || len(escaped)+len(trimLineEnd(line)) <= quotedLine+len("=") {
				break
			}
			to = append(to, "=\r\n"...)
		}
		to = append(to, line...)
	}
	return to
}

// cutChanged returns the escaped beginning of a line and the rest of it. The first is nil if nobody changes the line.
func cutChanged(line []byte) (escaped, rest []byte) {
	for _, c := range changed {
		if rest, ok := bytes.CutPrefix(line, c.beginning); ok {
			return c.escaped, rest
		}
	}
	return nil, line
}
