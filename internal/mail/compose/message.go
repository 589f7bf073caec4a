// Package compose writes MIME messages: the shape of their parts, their headers, and their bytes. It needs the standard
// library alone, and package base64.
package compose

import "time"

// Message is a mail that is ready to be written. Recipients in Bcc have no place in it: the envelope alone names them.
type Message struct {
	From            Mailbox
	To, Cc, ReplyTo []Mailbox
	Subject         string // "" for no such field
	Date            time.Time
	Fields          []Field // further ones, in this order; none that the message writes itself

	HTML, Text *string   // nil for none; without either the body is an empty text
	Calendar   *Calendar // nil for none
	Files      []File

	htmlDiffers, textDiffers bool // in the messages of a series
}

// Mailbox is an address with a display name, which may be empty (RFC 5322 section 3.4). In a message the address is a
// bare one, in ASCII.
type Mailbox struct{ Name, Address string }

// Calendar is an invitation (RFC 6047), an alternative to the texts that mail readers show with buttons.
type Calendar struct {
	ContentType string
	Body        []byte
}

// File is a file in a message: an attachment or, with a CID and beside HTML, one that the HTML shows. The CID is its
// Content-ID without the angle brackets.
type File struct {
	Name        string // at most 255 bytes: its parameter is written on one line
	ContentType string
	CID         string
	Body        []byte
}

// Content writes the message. Lines end in CRLF and none passes 998 bytes (RFC 5322 section 2.1.1); Message-ID is left
// to the server. [CheckValue] passes for all header values, and [Field.Check] for Fields: that is for the caller to see
// to. The bodies of the Files and the Calendar must not change until the content was read for the last time.
func (m *Message) Content() *Content {
	root := m.tree(randomBoundary())
	out := &buffer{bytes: make([]byte, 0, m.headSize()+root.size())}
	m.write(out, root)
	return out.content()
}

// Bytes is the Content in one piece.
func (m *Message) Bytes() []byte { return m.Content().Bytes() }

func (m *Message) write(out *buffer, root *part) {
	m.writeHead(out)
	m.writeBody(out, root)
}

func (m *Message) writeBody(out *buffer, root *part) {
	root.writeHeader(out)
	out.append("\r\n")
	root.write(out)
}

func (m *Message) writeHead(out *buffer) {
	out.field("From", addressList(len("From: "), []Mailbox{m.From}))
	out.field("To", addressList(len("To: "), m.To))
	if len(m.Cc) > 0 {
		out.field("Cc", addressList(len("Cc: "), m.Cc))
	}
	if len(m.ReplyTo) > 0 {
		out.field("Reply-To", addressList(len("Reply-To: "), m.ReplyTo))
	}
	if m.Subject != "" {
		out.field("Subject", unstructured(len("Subject: "), m.Subject))
	}
	out.field("Date", m.Date.Format(time.RFC1123Z))
	for _, f := range m.Fields {
		out.field(f.Name, f.write())
	}
	out.field("MIME-Version", "1.0")
}

// headSize is about what writeHead writes, and seldom less.
func (m *Message) headSize() int {
	const fields, encoded = 512, 4 // encoded-words take up to four bytes for one
	n := fields + encoded*len(m.Subject)
	for _, list := range [][]Mailbox{{m.From}, m.To, m.Cc, m.ReplyTo} {
		for _, box := range list {
			n += encoded*len(box.Name) + len(box.Address) + 32
		}
	}
	for _, f := range m.Fields {
		n += len(f.Name) + encoded*len(f.Value) + 32
	}
	return n
}

// tree builds the parts of the message:
//
//	multipart/mixed                 if there are attachments
//	├─ multipart/alternative        if there are several of its parts
//	│  ├─ text/plain
//	│  ├─ multipart/related         if there are files for the HTML, by their CID
//	│  │  ├─ text/html
//	│  │  └─ image/png, inline …
//	│  └─ text/calendar             if there is an invitation
//	└─ application/pdf, attachment …
func (m *Message) tree(boundary string) *part {
	var inline, attached []*part
	for _, f := range m.Files {
		if f.CID != "" && m.HTML != nil {
			inline = append(inline, newFile("inline", f))
		} else {
			attached = append(attached, newFile("attachment", f))
		}
	}
	root := m.body(boundary, inline)
	if len(attached) > 0 {
		root = newMultipart("mixed", boundary, append([]*part{root}, attached...)...)
	}
	return root
}

// body builds what a mail reader shows. Of an alternative it shows the last part that it can (RFC 2046
// section 5.1.4), so the plain text comes first, and an invitation last.
func (m *Message) body(boundary string, inline []*part) *part {
	var alternatives []*part
	switch {
	case m.Text != nil:
		text := newText("plain", *m.Text)
		text.differs = m.textDiffers
		alternatives = append(alternatives, text)
	case m.HTML == nil:
		alternatives = append(alternatives, newText("plain", ""))
	}
	if m.HTML != nil {
		root := newText("html", *m.HTML)
		root.differs = m.htmlDiffers
		if len(inline) > 0 {
			root = newRelated(boundary, root, inline...)
		}
		alternatives = append(alternatives, root)
	}
	if m.Calendar != nil {
		alternatives = append(alternatives, newCalendar(m.Calendar))
	}
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return newMultipart("alternative", boundary, alternatives...)
}
