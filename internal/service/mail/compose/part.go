package compose

import (
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
)

// part is a node of a MIME tree (RFC 2045, 2046): a multipart with its parts, a text, or a file.
type part struct {
	contentType string
	disposition string // with the file name; "" for none
	cid         string // Content-ID without its brackets; "" for none

	parts    []*part
	boundary string // of a multipart
	text     string
	escapes  int // number of bytes in text that quoted-printable writes as three
	isFile   bool
	file     []byte
	message  int // written length of a message/rfc822; 0 for any other part
}

// RandomBoundary returns 60 random hexadecimal digits, which no content can contain by chance.
func RandomBoundary() string { return multipart.NewWriter(io.Discard).Boundary() }

// newMultipart returns a multipart of the given subtype. The initial of the subtype makes its boundary different from
// the others in the message, which have the same random digits.
func newMultipart(subtype, random string, parts ...*part) *part {
	boundary := subtype[:1] + random
	contentType := "multipart/" + subtype + ";" + newLine + "boundary=" + boundary
	return &part{contentType: contentType, parts: parts, boundary: boundary}
}

// newRelated returns a multipart/related around its first part. It must name the type of that part (RFC 2387
// section 3.1).
func newRelated(random string, root *part, parts ...*part) *part {
	p := newMultipart("related", random, append([]*part{root}, parts...)...)
	p.contentType += ";" + newLine + `type="text/html"`
	return p
}

func newText(subtype, text string) *part {
	return &part{contentType: "text/" + subtype + "; charset=utf-8", text: text, escapes: escapes(text)}
}

// newFile returns the part of a file. A message that cannot be written as it is becomes a file of bytes.
func newFile(disposition string, f File) *part {
	p := &part{
		contentType: f.ContentType,
		disposition: disposition + filename(f.Name),
		cid:         f.CID,
		isFile:      true,
		file:        f.Body,
	}
	if f.ContentType == messageType {
		p.message = messageSize(f.Body)
		if p.message == 0 {
			p.contentType = "application/octet-stream"
		}
	}
	return p
}

// newCalendar returns the part of an invitation. It has no disposition, because with one it would be a file. Base64
// keeps the bytes of its sender, in any charset.
func newCalendar(c *Calendar) *part {
	return &part{contentType: c.ContentType, isFile: true, file: c.Body}
}

// writeHeader appends the part's fields to a header that already has others, sorted by name.
func (p *part) writeHeader(out *buffer) {
	fields := p.header()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out.field(name, fields[name][0])
	}
}

// header returns the part's own fields. A multipart needs no encoding: its default is 7bit (RFC 2045 section 6.1),
// and all of its parts are ASCII.
func (p *part) header() textproto.MIMEHeader {
	h := textproto.MIMEHeader{"Content-Type": {p.contentType}}
	if p.disposition != "" {
		h["Content-Disposition"] = []string{p.disposition}
	}
	if p.cid != "" {
		h["Content-ID"] = []string{"<" + p.cid + ">"}
	}
	switch {
	case p.boundary != "":
	case p.message > 0:
		h["Content-Transfer-Encoding"] = []string{"7bit"}
	case p.inBase64():
		h["Content-Transfer-Encoding"] = []string{"base64"}
	default:
		h["Content-Transfer-Encoding"] = []string{"quoted-printable"}
	}
	return h
}

// write appends the part's content, without its fields.
func (p *part) write(out *buffer) {
	switch {
	case p.boundary != "":
		w := multipart.NewWriter(out)
		_ = w.SetBoundary(p.boundary) // made by this package
		for _, child := range p.parts {
			_, _ = w.CreatePart(child.header()) // writes to a buffer never fail
			child.write(out)
		}
		_ = w.Close()
	case p.isFile:
		if p.message > 0 {
			out.message(p.file)
		} else {
			out.file(p.file)
		}
	case p.inBase64():
		out.base64([]byte(lineEnds.Replace(p.text)))
	default:
		out.quotedPrintable(p.text)
	}
}

// inBase64 reports whether the content is written in base64: every file, and a text that gets shorter this way. In
// quoted-printable an escaped byte takes three bytes; in base64 every byte takes 4/3. So base64 is shorter if more
// than one byte in six is escaped.
func (p *part) inBase64() bool {
	return p.isFile || p.escapes > len(p.text)/6
}

// lineEnds converts the line ends of a text to CRLF, which text inside base64 must have (RFC 2046 section 4.1.1).
var lineEnds = strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n")

// escapes counts the bytes that quoted-printable writes as three, apart from line ends.
func escapes(text string) int {
	n := 0
	for i := range len(text) {
		if c := text[i]; c > '~' || c == '=' || c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			n++
		}
	}
	return n
}

// size returns an estimate of the part's written length without the base64 of files. It is rarely too small.
func (p *part) size() int {
	const fields = 256 // of one part, and its boundary
	n := fields + len(p.contentType) + len(p.disposition) + len(p.cid)
	for _, child := range p.parts {
		n += child.size() + len(p.boundary)
	}
	switch {
	case p.message > 0:
		n += p.message
	case p.isFile:
	case p.inBase64():
		n += base64Size(len(p.text) + strings.Count(p.text, "\n"))
	default:
		encoded := len(p.text) + 2*p.escapes + strings.Count(p.text, "\n")
		n += encoded + 3*(encoded/quotedLine+1)
	}
	return n
}
