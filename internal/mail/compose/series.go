package compose

import (
	"bytes"
	"cmp"
	"slices"
)

// Series writes messages that differ in their To, Cc and Subject, and perhaps in further fields and their texts. What
// stands behind the last text that differs, such as an invitation and all files, is their common tail, and is
// encoded once.
type Series struct {
	message  Message // without what a Letter has, and without the bodies of the calendar and of files
	boundary string
}

// Letter is what one message of a series has of its own. A text that does not differ is not read.
type Letter struct {
	To, Cc     []Mailbox
	Subject    string  // "" for no such field
	Fields     []Field // behind those of the message
	HTML, Text string
}

// NewSeries begins a series of messages like m, and gives their tail, which is empty where a message has one part
// alone. It is told which texts differ; m tells which there are. It takes m's Calendar and Files away: the tail alone
// has them.
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
	if tail.Size() > 0 && !html {
		s.message.HTML = emptied(m.HTML)
		if !text {
			s.message.Text = emptied(m.Text)
		}
	}
	return s, tail
}

// emptied stands in a head for a text that is in the tail; nil for none.
func emptied(text *string) *string {
	if text == nil {
		return nil
	}
	return new(string)
}

// align is what the length of every head is a multiple of. So many bytes are a group of characters in base64 (RFC 4648
// section 4): a message is in base64 what its head is, and then its tail.
const align = 3

// Head is the beginning of a message, which is all of it but the tail. Its length is a multiple of 3, unless the tail
// is empty, so that either may be encoded in base64 by itself. Head may be called concurrently.
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
	// A field may have any white space where it is folded (RFC 5322 section 3.2.2).
	fold := body + bytes.Index(out.bytes[body:], []byte(newLine))
	missing := (align - len(out.bytes)%align) % align
	out.bytes = slices.Insert(out.bytes, fold+len(newLine), bytes.Repeat([]byte(" "), missing)...)
	return out.content()
}

// tree is the tree of a message of the series, with the place where its tail begins.
func (s *Series) tree(m *Message) *part {
	root := m.tree(s.boundary)
	if root.boundary != "" {
		cmp.Or(root.lastThatDiffers(), root).splits = true
	}
	return root
}
