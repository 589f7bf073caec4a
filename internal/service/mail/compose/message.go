// Package compose writes MIME messages: the tree of their parts, their headers and their bytes. Besides the standard
// library it uses only package base64.
package compose

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// Message is a mail that is ready to be written. It has no Bcc: those recipients are only in the envelope.
type Message struct {
	From            Mailbox
	To, Cc, ReplyTo []Mailbox
	Subject         string // "" for no such field
	Date            time.Time
	Fields          []Field // additional fields, in this order; none that the message writes itself

	HTML, Text *string   // nil for none; with neither the body is an empty text
	Calendar   *Calendar // nil for none
	Files      []File

	Boundary string // of [RandomBoundary]; "" for one of its own
}

// Mailbox is an address with a display name, which may be empty (RFC 5322 section 3.4). The address must be ASCII,
// without angle brackets.
type Mailbox struct{ Name, Address string }

// Calendar is an invitation (RFC 6047). It is an alternative to the texts, and mail readers show buttons for it.
type Calendar struct {
	ContentType string
	Body        []byte
}

// File is a file in a message. With a CID in a message with HTML it is a file that the HTML shows, otherwise an
// attachment. The CID is its Content-ID without the angle brackets.
type File struct {
	Name        string // at most 255 bytes: its parameter is written on one line
	ContentType string
	CID         string
	Body        []byte
}

// Content writes the message. Its lines end in CRLF and have at most 998 bytes (RFC 5322 section 2.1.1). It has no
// Message-ID: the server adds one. The caller must have checked all header values by [CheckValue], and Fields by
// [Field.Check]. The bodies of the Files and the Calendar must not change until the content was read for the last time.
func (m *Message) Content() *Content {
	root := m.tree(cmp.Or(m.Boundary, RandomBoundary()))
	out := &buffer{bytes: make([]byte, 0, m.headSize()+root.size())}
	m.write(out, root)
	return out.content()
}

// Split writes the message in two: the head, which has all texts, and the tail, which begins with the content of the
// first file. Messages with the same Boundary and the same calendar and files have the same tail, if all of them have
// HTML or none, and all have a text or none. So it need be encoded only once. Without a file the tail is empty.
//
// The length of the head is a multiple of 3, unless the tail is empty. Three bytes make a group of characters in base64
// (RFC 4648 section 4), so the base64 of the message is that of the head followed by that of the tail. White space
// pads the head where its Content-Type is folded; there it may have any length (RFC 5322 section 3.2.2).
func (m *Message) Split() (head, tail *Content) {
	root := m.tree(m.Boundary)
	out := &buffer{bytes: make([]byte, 0, m.headSize()+root.size())}
	m.writeHead(out)
	body := len(out.bytes)
	m.writeBody(out, root)
	if len(out.files) == 0 {
		return out.content(), &Content{}
	}
	first := out.files[0].at
	fold := body + bytes.Index(out.bytes[body:], []byte(newLine)) + len(newLine)
	padding := bytes.Repeat([]byte(" "), (3-first%3)%3)
	begin := &buffer{bytes: slices.Concat(out.bytes[:fold], padding, out.bytes[fold:first])}
	end := &buffer{bytes: out.bytes[first:]}
	for _, f := range out.files {
		end.files = append(end.files, spot{f.at - first, f.file})
	}
	return begin.content(), end.content()
}

// Bytes returns the Content as one slice.
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

// headSize returns an estimate of the bytes that writeHead writes. It is rarely too small, so that the buffer
// rarely grows.
func (m *Message) headSize() int {
	const fields, encoded = 512, 4 // encoded-words take up to four bytes for one byte
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
//	├─ multipart/alternative        if it has several parts
//	│  ├─ text/plain
//	│  ├─ multipart/related         if the HTML shows files, by their CID
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

// body builds what a mail reader shows. Of the alternatives it shows the last one that it supports (RFC 2046 section
// 5.1.4), so the plain text comes first and an invitation last.
func (m *Message) body(boundary string, inline []*part) *part {
	var alternatives []*part
	switch {
	case m.Text != nil:
		alternatives = append(alternatives, newText("plain", *m.Text))
	case m.HTML == nil:
		alternatives = append(alternatives, newText("plain", ""))
	}
	if m.HTML != nil {
		root := newText("html", *m.HTML)
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
