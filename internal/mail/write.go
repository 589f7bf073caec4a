package mail

import (
	"errors"
	"fmt"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/plaintext"
	"frontdesk/internal/mail/rejection"
)

// write writes a mail as MIME messages: one, which is the same for all of its recipients, or a series. The files are no
// longer got's then, so that those of a series are not in memory beside its tail.
func write(q *request, m *Mail, got *fetched) (delivery.Messages, error) {
	t := m.templates(got)
	q.warnings = append(q.warnings, t.warnings(m)...)
	if m.on(Separate) {
		return writeSeries(q, m, t, got)
	}
	said, err := t.write(MaxSize, m.values(m.Placeholders))
	if err != nil {
		return nil, rejection.Errorf(rejection.TooLarge, "%s", err)
	}
	if blank(said.subject) {
		q.warnings = append(q.warnings, noSubject)
	}
	mime, err := m.message(q, said, got)
	if err != nil {
		return nil, err
	}
	mime.To, mime.Cc = m.Recipients, m.CCs
	message := delivery.Message{Head: mime.Content()}
	q.size = message.Size()
	return func(int) (delivery.Message, error) { return message, nil }, checkSize(q.size)
}

const noSubject = "the mail has no subject"

// checkSize is the rule for the size of a message.
func checkSize(size int) error {
	if size > MaxSize {
		return rejection.Errorf(rejection.TooLarge,
			"the message is too large: it has %d bytes once encoded; at most %d are allowed", size, MaxSize)
	}
	return nil
}

// message is a mail as it is written, given what it says, but whom it is to.
func (m *Mail) message(q *request, said texts, got *fetched) (*compose.Message, error) {
	html, text, warnings, err := m.content(said)
	q.warnings = append(q.warnings, warnings...)
	attachUnnamed(got.files, html)
	mime := &compose.Message{
		From: *m.Sender, ReplyTo: m.ReplyTo,
		Subject: said.subject, Date: q.start.UTC(), Fields: m.fields(),
		HTML: html, Text: text, Files: got.files,
	}
	got.files = nil
	return mime, err
}

// content decides which kinds of content a mail has, nil for none: the rules on empty bodies apply, and HTML alone gets
// a plain text beside it.
func (m *Mail) content(said texts) (html, text *string, warnings []string, err error) {
	if !blank(said.html) {
		html = &said.html
	}
	if !blank(said.text) {
		text = &said.text
	}
	switch {
	case html == nil && text == nil && !m.on(AllowEmpty):
		return nil, nil, nil, rejection.Errorf(rejection.EmptyBody,
			"the body is empty: give html, htmlurl, text or texturl, or allowempty in config")
	case html != nil && text == nil && !m.on(NoConversion):
		converted, err := plaintext.FromHTML(*html)
		how := "was not converted to plain text"
		if converted != "" {
			text, how = &converted, "was converted to plain text without regard to its style"
		} else if err == nil {
			err = errors.New("it has no text")
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("html %s: %s", how, err))
		}
	}
	return html, text, warnings, nil
}
