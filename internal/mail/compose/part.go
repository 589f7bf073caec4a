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
	disposition string // with its file name, "" for none
	cid         string // Content-ID without its brackets, "" for none

	parts    []*part
	boundary string // of a multipart
	text     string
	escapes  int // bytes of the text that quoted-printable writes as three
	isFile   bool
	file     []byte
	message  int  // length of a message/rfc822 once written, 0 for what is not written as it is
	differs  bool // in the messages of a series
	splits   bool // the tail of a series begins behind this leaf, or with the content of this multipart
}

// randomBoundary makes a text that no content can hold.
func randomBoundary() string { return multipart.NewWriter(io.Discard).Boundary() }

// newMultipart makes a multipart of that subtype, whose initial tells its boundary from those of the others in
// a message.
func newMultipart(subtype, random string, parts ...*part) *part {
	boundary := subtype[:1] + random
	contentType := "multipart/" + subtype + ";" + newLine + "boundary=" + boundary
	return &part{contentType: contentType, parts: parts, boundary: boundary}
}

// newRelated makes a multipart/related around its first part, whose type it has to tell (RFC 2387 section 3.1).
func newRelated(random string, root *part, parts ...*part) *part {
	p := newMultipart("related", random, append([]*part{root}, parts...)...)
	p.contentType += ";" + newLine + `type="text/html"`
	return p
}

func newText(subtype, text string) *part {
	return &part{contentType: "text/" + subtype + "; charset=utf-8", text: text, escapes: escapes(text)}
}

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

// newCalendar makes the part of an invitation, without a disposition: with one it would be a file. In base64 it has the
// bytes that its sender gave, in any charset.
func newCalendar(c *Calendar) *part {
	return &part{contentType: c.ContentType, isFile: true, file: c.Body}
}

// lastThatDiffers is the last leaf of a tree that differs in the messages of a series, nil for none.
func (p *part) lastThatDiffers() *part {
	if p.differs {
		return p
	}
	for _, child := range slices.Backward(p.parts) {
		if last := child.lastThatDiffers(); last != nil {
			return last
		}
	}
	return nil
}

// writeHeader writes the part's fields as part of a header that others began.
func (p *part) writeHeader(out *buffer) {
	fields := p.header()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out.field(name, fields[name][0])
	}
}

// header is the part's own fields.
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

// write writes the part's content, without its fields.
func (p *part) write(out *buffer) {
	switch {
	case p.boundary != "":
		if p.splits {
			out.turn()
		}
		w := multipart.NewWriter(out)
		_ = w.SetBoundary(p.boundary) // made by this package
		for _, child := range p.parts {
			_, _ = w.CreatePart(child.header()) // a buffer's writes do not fail; nor do those below
			child.write(out)
		}
		_ = w.Close()
		return
	case out.shut: // not even encoded
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
	if p.splits {
		out.turn()
	}
}

// inBase64 reports whether the content is written in base64: every file, and a text that is shorter so. In
// quoted-printable each byte beyond ASCII takes three, in base64 all take 4/3.
func (p *part) inBase64() bool {
	return p.isFile || p.escapes > len(p.text)/6
}

// lineEnds brings a text's line ends into the form that they have inside base64 (RFC 2046 section 4.1.1).
var lineEnds = strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n")

// escapes counts the bytes that quoted-printable writes as three, line ends aside.
func escapes(text string) int {
	n := 0
	for i := range len(text) {
		if c := text[i]; c > '~' || c == '=' || c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			n++
		}
	}
	return n
}

// size is the part's length once written, without files in base64: seldom short of the truth.
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
