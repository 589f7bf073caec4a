package console

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message/textproto"
	"golang.org/x/net/html/charset"
)

// readable is the JSON of a mail that was taken apart.
type readable struct {
	Headers     []header     `json:"headers"`    // all header fields, in order
	HTML        bool         `json:"html"`       // whether it has an HTML body
	Remote      bool         `json:"remote"`     // whether that shows pictures of sites
	Text        *string      `json:"text"`       // the text body, or null
	TextCut     bool         `json:"text_cut"`   // whether the text goes on
	Invitation  *invitation  `json:"invitation"` // to a calendar, or null
	Attachments []attachment `json:"attachments"`
	Troubles    []string     `json:"troubles"` // problems for its readers
	Problem     string       `json:"problem"`  // why not all of it could be read
}

// header is a field of a message's header.
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"` // decoded, unfolded
	Raw   string `json:"-"`     // unfolded
}

// invitation is a calendar that mail readers show with buttons, like a body (RFC 6047).
type invitation struct {
	Number int    `json:"number"`
	Method string `json:"method"`
}

// attachment is any part that is not a body.
type attachment struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`    // bytes, decoded
	InHTML bool   `json:"in_html"` // whether the HTML shows it, by its Content-ID
	cid    string
}

// maxText limits the text that is shown, in bytes.
const maxText = 1 << 20

// readMessage takes a mail apart as far as it can.
func readMessage(raw []byte) readable {
	m := readable{Headers: []header{}, Attachments: []attachment{}, Troubles: troubles(raw)}
	var shown map[string]bool // Content-IDs that the HTML names
	h, err := walk(raw, func(p part) error {
		switch {
		// Only the first megabyte of the HTML is searched for pictures.
		case !m.HTML && p.isBody("text/html"):
			body, err := io.ReadAll(io.LimitReader(p.body, maxText))
			m.HTML, m.Remote = true, remotePicture.Match(body)
			shown = namedIn(toUTF8(body, p.contentType))
			if err != nil {
				return fmt.Errorf("the HTML cannot be decoded: %w", err)
			}
			return nil
		case m.Text == nil && p.isBody("text/plain"):
			return m.readText(p)
		// Without a method the calendar is a file like any other (RFC 6047, section 2.4).
		case m.Invitation == nil && p.method != "" && p.isBody("text/calendar"):
			m.Invitation = &invitation{Number: p.number, Method: p.method}
			return nil
		}
		// Everything else is a file. It is read to know its size after decoding.
		size, err := io.Copy(io.Discard, p.body)
		m.Attachments = append(m.Attachments, attachment{
			Number: p.number,
			Name:   p.fileName(),
			Type:   p.mediaType,
			Size:   size,
			cid:    p.cid,
		})
		if err != nil {
			return fmt.Errorf("%s cannot be decoded: %w", p.fileName(), err)
		}
		return nil
	})
	if err != nil {
		m.Problem = err.Error()
	}
	// Not before the end: the HTML may come after its pictures.
	for i := range m.Attachments {
		m.Attachments[i].InHTML = shown[m.Attachments[i].cid]
	}
	// After an error too: the header of a message that breaks off later can be read.
	for fields := h.Fields(); fields.Next(); {
		m.Headers = append(m.Headers, header{originalName(fields), decodeWords(fields.Value()), fields.Value()})
	}
	return m
}

// readText reads one byte more than it keeps, to know whether the text goes on.
func (m *readable) readText(p part) error {
	body, err := io.ReadAll(io.LimitReader(p.body, maxText+1))
	m.TextCut = len(body) > maxText
	if m.TextCut {
		body = body[:maxText]
	}
	text := toUTF8(body, p.contentType)
	m.Text = &text
	if err != nil {
		return fmt.Errorf("the text cannot be decoded: %w", err)
	}
	return nil
}

// originalName returns a field's name with the case in which it was sent.
func originalName(f textproto.HeaderFields) string {
	raw, err := f.Raw()
	name, _, ok := bytes.Cut(raw, []byte(":"))
	if err != nil || !ok {
		return f.Key()
	}
	return strings.TrimSpace(string(name))
}

// toUTF8 decodes a body by its byte order mark, by the charset of the Content-Type, or by the one that HTML declares.
// Without any of these, a valid UTF-8 body is UTF-8, and any other is windows-1252.
func toUTF8(body []byte, contentType string) string {
	// DetermineEncoding looks at the first kilobyte only. If it guesses, the whole body decides.
	encoding, _, certain := charset.DetermineEncoding(body, contentType)
	if certain || !utf8.Valid(body) {
		if text, err := encoding.NewDecoder().Bytes(body); err == nil {
			body = text
		}
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(body), "\uFFFD"), "\uFEFF")
}
