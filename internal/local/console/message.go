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

// readable is a mail taken apart.
type readable struct {
	Headers     []header     `json:"headers"`    // all of the message, in their order
	HTML        bool         `json:"html"`       // it has an HTML body
	Remote      bool         `json:"remote"`     // which shows pictures of sites
	Text        *string      `json:"text"`       // the text body, null when there is none
	TextCut     bool         `json:"text_cut"`   // the text goes on
	Invitation  *invitation  `json:"invitation"` // to a calendar, null when there is none
	Attachments []attachment `json:"attachments"`
	Troubles    []string     `json:"troubles"` // what would trouble its readers
	Problem     string       `json:"problem"`  // why not all of it could be read
}

type header struct {
	Name  string `json:"name"`
	Value string `json:"value"` // decoded, unfolded
	Raw   string `json:"-"`     // unfolded
}

// invitation is a calendar that mail readers show with buttons, as they show a body (RFC 6047).
type invitation struct {
	Number int    `json:"number"`
	Method string `json:"method"`
}

// attachment is every part that is not a body.
type attachment struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int64  `json:"size"` // bytes, decoded
	CID    string `json:"cid"`  // empty: nothing can refer to it
}

// maxText is how much of the text is shown, in bytes.
const maxText = 1 << 20

// readMessage takes a mail apart, as far as that is possible.
func readMessage(raw []byte) readable {
	m := readable{Headers: []header{}, Attachments: []attachment{}, Troubles: troubles(raw)}
	h, err := walk(raw, func(p part) error {
		switch {
		case !m.HTML && p.isBody("text/html"):
			body, err := io.ReadAll(io.LimitReader(p.body, maxText))
			m.HTML, m.Remote = true, remotePicture.Match(body)
			if err != nil {
				return fmt.Errorf("the HTML cannot be decoded: %w", err)
			}
			return nil
		case m.Text == nil && p.isBody("text/plain"):
			return m.readText(p)
		case m.Invitation == nil && p.method != "" && p.isBody("text/calendar"):
			m.Invitation = &invitation{Number: p.number, Method: p.method}
			return nil
		}
		size, err := io.Copy(io.Discard, p.body)
		m.Attachments = append(m.Attachments, attachment{
			Number: p.number,
			Name:   p.fileName(),
			Type:   p.mediaType,
			Size:   size,
			CID:    p.cid,
		})
		if err != nil {
			return fmt.Errorf("%s cannot be decoded: %w", p.fileName(), err)
		}
		return nil
	})
	if err != nil {
		m.Problem = err.Error()
	}
	for fields := h.Fields(); fields.Next(); {
		m.Headers = append(m.Headers, header{originalName(fields), decodeWords(fields.Value()), fields.Value()})
	}
	return m
}

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

// originalName is a field's name in the letters in which it was sent.
func originalName(f textproto.HeaderFields) string {
	raw, err := f.Raw()
	name, _, ok := bytes.Cut(raw, []byte(":"))
	if err != nil || !ok {
		return f.Key()
	}
	return strings.TrimSpace(string(name))
}

// toUTF8 decodes by byte order mark, the charset of the Content-Type, or the one that HTML declares; without any it is
// UTF-8 if it is valid, else windows-1252.
func toUTF8(body []byte, contentType string) string {
	encoding, _, certain := charset.DetermineEncoding(body, contentType)
	if certain || !utf8.Valid(body) {
		if text, err := encoding.NewDecoder().Bytes(body); err == nil {
			body = text
		}
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(body), "\uFFFD"), "\uFEFF")
}
