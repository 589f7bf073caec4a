package compose

import (
	"bytes"
	"cmp"
	"slices"
)

// Series writes messages that differ in To, Cc and Subject, and perhaps in additional fields and in their texts.
// What follows the last text that differs, such as an invitation and all files, is their common tail. It is encoded
// only once.
type Series struct {
	message  Message // without what a Letter has; the calendar and the files have no bodies
	boundary string
}

// Letter is what one message of a series has of its own. A text that all messages share is ignored here.
type Letter struct {
	To, Cc     []Mailbox
	Subject    string  // "" for no such field
	Fields     []Field // after those of the message
	HTML, Text string
}

// NewSeries begins a series of messages like m, and returns their tail. The tail is empty if a message has only one
// part. html and text say which texts differ; m says which there are. NewSeries sets the Calendar and the Files of m
// to nil, so that only the tail refers to them.
func NewSeries(m *Message, html, text bool) (s *Series, tail *Content) {
	html, text = html && m.HTML != nil, text && m.Text != nil
	m.htmlDiffers, m.textDiffers = html, text
	s = &Series{message: *m, boundary: randomBoundary()}
	s.message.Files = slices.Clone(m.Files)
	for i := range s.message.Files {
		s.message.Files[i].Body = nil
	}
	if m.Calendar != nil {
		s.message.Calendar = &Calendar{ContentType: m.Calendar.ContentType}
	}
	root := s.tree(m)
	m.Calendar, m.Files = nil, nil
	out := &buffer{bytes: make([]byte, 0, root.size()), shut: true}
	m.write(out, root)
	tail = out.content()
	// A text in the tail is empty in the heads. They do not write it; only its part is needed for the tree.
	if tail.Size() > 0 && !html {
		s.message.HTML = emptied(m.HTML)
		if !text {
			s.message.Text = emptied(m.Text)
		}
	}
	return s, tail
}

// emptied returns the text that replaces, in the heads, one that is in the tail. A missing text stays nil.
func emptied(text *string) *string {
	if text == nil {
		return nil
	}
	return new(string)
}

// align is a divisor of the length of every head. Three bytes make a group of characters in base64 (RFC 4648 section
// 4), so the base64 of a message is that of its head followed by that of its tail.
const align = 3

// Head returns the beginning of a message, without the tail. Its length is a multiple of 3, unless the tail is empty,
// so that head and tail can be encoded in base64 separately. Head may be called concurrently.
func (s *Series) Head(l Letter) *Content {
	m := s.message
	m.To, m.Cc, m.Subject, m.Fields = l.To, l.Cc, l.Subject, slices.Concat(m.Fields, l.Fields)
	if m.htmlDiffers {
		m.HTML = &l.HTML
	}
	if m.textDiffers {
		m.Text = &l.Text
	}
	root := s.tree(&m)
	out := &buffer{bytes: make([]byte, 0, m.headSize()+root.size()+align)}
	m.writeHead(out)
	body := len(out.bytes)
	m.writeBody(out, root)
	if root.boundary == "" {
		return out.content()
	}
	// Pad the head with spaces where its Content-Type is folded. White space there may have any length, RFC 5322
	// section 3.2.2.
	fold := body + bytes.Index(out.bytes[body:], []byte(newLine))
	missing := (align - len(out.bytes)%align) % align
	out.bytes = slices.Insert(out.bytes, fold+len(newLine), bytes.Repeat([]byte(" "), missing)...)
	return out.content()
}

// tree returns the tree of a message of the series, with the mark where its tail begins.
func (s *Series) tree(m *Message) *part {
	root := m.tree(s.boundary)
	if root.boundary != "" {
		cmp.Or(root.lastThatDiffers(), root).splits = true
	}
	return root
}
