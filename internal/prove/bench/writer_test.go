package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"frontdesk/internal/service/mail/compose"

	gomail "github.com/wneessen/go-mail"
)

// Names of the writers in the results.
const (
	frontdesk   = "frontdesk"
	goMail      = "go-mail"
	bareEncoder = "base64"
)

// writer makes the finished message from the parts of a mail.
type writer struct {
	name  string
	write func(*message, io.Writer) error
}

// writers write whole messages, frontdesk's first. A writer without a suffix in its name writes as the message is
// sent to SES: frontdesk's is read in blocks, go-mail's is in one buffer, because the SDK's client of SES takes
// nothing else.
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
	// The best that go-mail can do: here it knows in advance how long the message will be, which its callers do not.
	{goMail + "-presized", func(m *message, out io.Writer) error {
		return writeGoMailInto(bytes.NewBuffer(make([]byte, 0, m.size()*7/5)), m, out)
	}},
	{goMail + "-in-blocks", writeGoMail},
}

// encoders encode only the files, by the standard library, without lines and without a message: the least that any
// writer has to do.
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

// block is the size of the blocks in which a message is read, in bytes: that of io.Copy's buffer.
const block = 32 << 10

func second(_ int, err error) error { return err }

// composed returns a mail in the form in which send-mail composes it.
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

// writeGoMail uses go-mail as its documentation recommends for large files: by AttachReadSeeker, which does not copy
// them. It leaves out what frontdesk does not do either: a random Message-ID, a User-Agent.
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
