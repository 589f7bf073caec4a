package mail

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/base/invisible"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/placeholder"
	"frontdesk/internal/service/mail/plaintext"
)

// composed is a mail as MIME messages: one for all of its recipients, or one for each.
type composed struct {
	messages delivery.Messages
	size     int // of one message, the first of several, in bytes
}

// write writes the messages of a mail from its downloaded content. Warnings say what the client may not have meant.
// Each group of a redirected mail gets its own header.
func write(start time.Time, m *Mail, got fetched, redirected bool) (c composed, warnings []string, err error) {
	t := m.templates(got.html, got.text)
	if m.on(Separate) {
		c, warnings, err = writeSeparate(start, m, t, got)
	} else {
		c, warnings, err = writeOne(start, m, t, got, redirected)
	}
	return c, slices.Concat(t.warnings(m), m.addressValueWarnings(got.html), warnings), err
}

// writeOne writes a mail that is the same for all recipients. If the mail is redirected, each group's header differs.
func writeOne(start time.Time, m *Mail, t templates, got fetched, goesElsewhere bool) (composed, []string, error) {
	filled, err := t.write(MaxSize, m.values(m.Placeholders))
	if err != nil {
		return composed{}, nil, delivery.Rejectf(TooLarge, "%s", err)
	}
	var warnings []string
	if invisible.Blank(filled.subject) {
		warnings = append(warnings, noSubject)
	}
	mime, unclear, err := m.message(start, t, filled, got)
	warnings = append(warnings, unclear...)
	if err != nil {
		return composed{}, warnings, err
	}
	mime.To, mime.Cc, mime.Subject, mime.Fields = m.Recipients, m.CCs, filled.subject, m.fields()
	whole := delivery.Message{Head: mime.Content()}
	messages := func(_ int, group delivery.Envelope) (delivery.Message, error) {
		if !goesElsewhere {
			return whole, nil
		}
		message := delivery.Message{Head: redirected(mime, group).Content()}
		return message, checkSize(message.Size())
	}
	return composed{messages: messages, size: whole.Size()}, warnings, checkSize(whole.Size())
}

const noSubject = "the mail has no subject"

// checkSize checks the encoded size: base64 adds a third to every attachment.
func checkSize(size int) error {
	if size > MaxSize {
		return delivery.Rejectf(TooLarge,
			"the message is too large: it has %d bytes once encoded; at most %d are allowed", size, MaxSize)
	}
	return nil
}

// message builds the message of what the templates have become, but without To, Cc, the subject and the extra header
// fields. These differ by group in a redirected mail, and by recipient with [Separate].
func (m *Mail) message(start time.Time, t templates, filled texts, got fetched) (compose.Message, []string, error) {
	html, text, warnings, err := m.content(t, filled)
	if err != nil {
		return compose.Message{}, warnings, err
	}
	files, cids := dropUnusedContentIDs(got.files, filled.html)
	if html != nil || blank(m.HTML.String) && m.HTML.URL == "" { // with Separate, others may have HTML
		warnings = append(warnings, cids...)
	}
	return compose.Message{
		From: *m.Sender, ReplyTo: m.ReplyTo, Date: start.UTC(), HTML: html, Text: text, Calendar: got.invitation,
		Files: files,
	}, warnings, nil
}

// content decides which texts the message has; nil is none. An empty body is an error without [AllowEmpty]. HTML alone
// gets a plain text beside it, for readers that show no HTML. FromHTML may return a text and an error; then the text
// ignores the style.
func (m *Mail) content(t templates, filled texts) (html, text *string, warnings []string, err error) {
	if !blank(filled.html) {
		html = &filled.html
	}
	if !blank(filled.text) {
		text = &filled.text
	}
	switch {
	case html == nil && text == nil && !m.on(AllowEmpty):
		return nil, nil, nil, m.emptyBody(t)
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

// emptyBody returns the error for a mail without a text. It names the fields that turned out empty.
func (m *Mail) emptyBody(t templates) error {
	reasons := ""
	for _, text := range []struct {
		field string
		from  Source
		t     placeholder.Template
	}{{"html", m.HTML, t.html}, {"text", m.Text, t.text}} {
		if reason := m.emptiness(text.from, text.t); reason != "" {
			reasons += text.field + reason + "; "
		}
	}
	return delivery.Rejectf(EmptyBody,
		"the body is empty: %sgive html, htmlurl, text or texturl, or allowempty in config", reasons)
}

// emptiness says why a text has nothing in it, as the end of "html" or "text". It returns "" for one that the mail does
// not give.
func (m *Mail) emptiness(from Source, t placeholder.Template) string {
	url := from.urlToFetch(m.on(URLBeforeString)) != ""
	switch names := slices.Sorted(maps.Keys(t.Used)); {
	case len(names) > 0:
		return " has nothing but placeholders whose values are empty: " + listPlaceholders(names)
	case url:
		return "url leads to an empty document"
	case from.String != "":
		return " is only white space"
	}
	return ""
}
