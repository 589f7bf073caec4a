package mail

import (
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/rejection"
)

// write writes a mail's message. It takes the files away, and the message lets go of each once it is encoded.
func write(q *request, m *Mail, got *fetched) ([]byte, error) {
	c, warnings, err := m.content(got)
	q.warnings = append(q.warnings, warnings...)
	if err != nil {
		return nil, err
	}
	mime := compose.Message{
		From: *m.Sender, To: m.Recipients, Cc: m.CCs, ReplyTo: m.ReplyTo,
		Subject: m.Subject, Date: q.start.UTC(), Fields: m.fields(),
		HTML: c.html, Text: c.text, Files: got.files,
	}
	got.files = nil
	message := mime.Bytes()
	if len(message) > MaxSize {
		return nil, rejection.Errorf("the message is too large: it has %d bytes once encoded; at most %d are allowed",
			len(message), MaxSize)
	}
	q.size = len(message)
	return message, nil
}
