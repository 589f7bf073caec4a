package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"frontdesk/internal/mail/compose"

	gomail "github.com/wneessen/go-mail"
)

// Writers by their names in the results.
const (
	frontdesk   = "frontdesk"
	goMail      = "go-mail"
	bareEncoder = "base64"
)

// writer makes the finished message out of what a mail consists of.
type writer struct {
	name  string
	write func(*message) ([]byte, error)
}

// writers are those that write the whole message, frontdesk's first.
var writers = []writer{
	{frontdesk, writeFrontdesk},
	{goMail, func(m *message) ([]byte, error) { return writeGoMail(m, new(bytes.Buffer)) }},
	// The best that go-mail can do: it is told how long the message will be, which its callers do not know.
	{goMail + "-presized", func(m *message) ([]byte, error) {
		return writeGoMail(m, bytes.NewBuffer(make([]byte, 0, m.size()*7/5)))
	}},
}

func writeFrontdesk(m *message) ([]byte, error) {
	mail := compose.Message{
		From: compose.Mailbox{Name: m.from.name, Address: m.from.address}, Subject: m.subject, Date: m.date,
		Text: &m.text, HTML: &m.html,
	}
	for _, box := range m.to {
		mail.To = append(mail.To, compose.Mailbox{Name: box.name, Address: box.address})
	}
	for _, f := range m.files {
		mail.Files = append(mail.Files, compose.File{Name: f.name, ContentType: contentType, Body: f.body})
	}
	return mail.Bytes(), nil
}

// writeGoMail is go-mail in the way that its documentation recommends for large files: AttachReadSeeker,
// which does not copy them. It is spared what frontdesk does not do: a random Message-ID, a User-Agent.
func writeGoMail(m *message, out *bytes.Buffer) ([]byte, error) {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := mail.FromFormat(m.from.name, m.from.address); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	for _, box := range m.to {
		if err := mail.AddToFormat(box.name, box.address); err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
	}
	mail.Subject(m.subject)
	mail.SetDateWithValue(m.date)
	mail.SetMessageIDWithValue("1@example.com")
	mail.SetBodyString(gomail.TypeTextPlain, m.text)
	mail.AddAlternativeString(gomail.TypeTextHTML, m.html)
	for _, f := range m.files {
		mail.AttachReadSeeker(f.name, bytes.NewReader(f.body), gomail.WithFileContentType(contentType))
	}
	if _, err := mail.WriteTo(out); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	return out.Bytes(), nil
}

// writeBase64 is the floor: the standard library's encoder on the files, without lines and without a message.
func writeBase64(m *message) ([]byte, error) {
	n := 0
	for _, f := range m.files {
		n += base64.StdEncoding.EncodedLen(len(f.body))
	}
	out := make([]byte, 0, n)
	for _, f := range m.files {
		out = base64.StdEncoding.AppendEncode(out, f.body)
	}
	return out, nil
}
