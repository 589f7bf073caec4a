package mail

import (
	"errors"
	"fmt"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/plaintext"
	"frontdesk/internal/mail/rejection"
)

// write writes a mail as a MIME message, which is the same for all of its recipients. The files are no longer got's
// then, so that the memory of each is free as soon as it is encoded.
func write(q *request, m *Mail, got *fetched) (delivery.Messages, error) {
	t := m.templates(got)
	q.warnings = append(q.warnings, t.warnings(m)...)
	c, warnings, err := m.content(t)
	q.warnings = append(q.warnings, warnings...)
	if err != nil {
		return nil, err
	}
	attachUnnamed(got.files, c.html)
	mime := compose.Message{
		From: *m.Sender, To: m.Recipients, Cc: m.CCs, ReplyTo: m.ReplyTo,
		Subject: c.subject, Date: q.start.UTC(), Fields: m.fields(),
		HTML: c.html, Text: c.text, Files: got.files,
	}
	got.files = nil
	message := mime.Bytes()
	if len(message) > MaxSize {
		return nil, rejection.Errorf(rejection.TooLarge,
			"the message is too large: it has %d bytes once encoded; at most %d are allowed", len(message), MaxSize)
	}
	q.size = len(message)
	return func(int) (delivery.Message, error) { return delivery.Message{Head: message}, nil }, nil
}

// content is what a mail says. A kind that is nil is not there.
type content struct {
	subject    string
	html, text *string
}

// content makes a mail's content of its templates: placeholders are replaced first, then the rules on empty bodies
// apply, and then HTML alone gets a plain text beside it.
func (m *Mail) content(t templates) (c content, warnings []string, err error) {
	values := m.values()
	inHTML := values
	if m.on(EscapePlaceholders) {
		inHTML = values.Escaped()
	}
	if c.subject, err = t.subject.Write(MaxHeaderBytes, values); err != nil {
		return content{}, nil, rejection.Errorf(rejection.TooLarge, "subject %s", err)
	}
	html, err := t.html.Write(MaxSize, inHTML)
	if err != nil {
		return content{}, nil, rejection.Errorf(rejection.TooLarge, "html %s", err)
	}
	text, err := t.text.Write(MaxSize, values)
	if err != nil {
		return content{}, nil, rejection.Errorf(rejection.TooLarge, "text %s", err)
	}
	if blank(c.subject) {
		warnings = append(warnings, "the mail has no subject")
	}
	if !blank(html) {
		c.html = &html
	}
	if !blank(text) {
		c.text = &text
	}
	switch {
	case c.html == nil && c.text == nil && !m.on(AllowEmpty):
		return content{}, warnings, rejection.Errorf(rejection.EmptyBody,
			"the body is empty: give html, htmlurl, text or texturl, or allowempty in config")
	case c.html != nil && c.text == nil && !m.on(NoConversion):
		converted, err := plaintext.FromHTML(html)
		how := "was not converted to plain text"
		if converted != "" {
			c.text, how = &converted, "was converted to plain text without regard to its style"
		} else if err == nil {
			err = errors.New("it has no text")
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("html %s: %s", how, err))
		}
	}
	return c, warnings, nil
}
