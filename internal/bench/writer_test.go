package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

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
	write func(*message, io.Writer) error
}

// writers are those that write the whole message, frontdesk's first. What has no more to its name is as it is sent to
// SES: frontdesk's is read in blocks, go-mail's is in one buffer, because SES's client of the SDK takes nothing else.
var writers = []writer{
	{frontdesk, func(m *message, out io.Writer) error {
		content := composed(m).Content()
		buffer := make([]byte, min(block, content.Size()))
		_, err := io.CopyBuffer(out, io.NewSectionReader(content, 0, content.Size()), buffer)
		return err
	}},
	{frontdesk + "-in-one-buffer", func(m *message, out io.Writer) error {
		return second(out.Write(composed(m).Bytes()))
	}},
	{goMail, func(m *message, out io.Writer) error { return writeGoMailInto(new(bytes.Buffer), m, out) }},
	// The best that go-mail can do: it is told how long the message will be, which its callers do not know.
	{goMail + "-presized", func(m *message, out io.Writer) error {
		return writeGoMailInto(bytes.NewBuffer(make([]byte, 0, m.size()*7/5)), m, out)
	}},
	{goMail + "-in-blocks", writeGoMail},
}

// encoders write the files alone, without lines and without a message, by the standard library: that is the floor.
var encoders = []writer{
	{bareEncoder, func(m *message, out io.Writer) error {
		n := 0
		for _, f := range m.files {
			n += base64.StdEncoding.EncodedLen(len(f.body))
		}
		all := make([]byte, 0, n)
		for _, f := range m.files {
			all = base64.StdEncoding.AppendEncode(all, f.body)
		}
		return second(out.Write(all))
	}},
	{bareEncoder + "-in-blocks", func(m *message, out io.Writer) error {
		encoded := make([]byte, block)
		for _, f := range m.files {
			for part := range slices.Chunk(f.body, block/4*3) {
				base64.StdEncoding.Encode(encoded, part)
				if _, err := out.Write(encoded[:base64.StdEncoding.EncodedLen(len(part))]); err != nil {
					return err
				}
			}
		}
		return nil
	}},
}

// block is what a message is read in, in bytes: the length of io.Copy's buffer.
const block = 32 << 10

func second(_ int, err error) error { return err }

func composed(m *message) *compose.Message {
	mail := &compose.Message{
		From: compose.Mailbox{Name: m.from.name, Address: m.from.address}, Subject: m.subject, Date: m.date,
		Text: &m.text, HTML: &m.html,
	}
	for _, box := range m.to {
		mail.To = append(mail.To, compose.Mailbox{Name: box.name, Address: box.address})
	}
	for _, f := range m.files {
		mail.Files = append(mail.Files, compose.File{Name: f.name, ContentType: contentType, Body: f.body})
	}
	return mail
}

// writeGoMail is go-mail in the way that its documentation recommends for large files: AttachReadSeeker,
// which does not copy them. It is spared what frontdesk does not do: a random Message-ID, a User-Agent.
func writeGoMail(m *message, out io.Writer) error {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := mail.FromFormat(m.from.name, m.from.address); err != nil {
		return fmt.Errorf("from: %w", err)
	}
	for _, box := range m.to {
		if err := mail.AddToFormat(box.name, box.address); err != nil {
			return fmt.Errorf("to: %w", err)
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
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func writeGoMailInto(buffer *bytes.Buffer, m *message, out io.Writer) error {
	if err := writeGoMail(m, buffer); err != nil {
		return err
	}
	return second(out.Write(buffer.Bytes()))
}
