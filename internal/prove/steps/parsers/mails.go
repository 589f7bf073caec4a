package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/address/freetext"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/icalendar"
	"frontdesk/internal/service/mail/maillog"
)

// ofMails read and write what mails hold, and what mail servers answer.
var ofMails = []parser{
	{
		name: "compose", sizes: [2]int{2000, 4000},
		pieces: []string{
			" ", "a", "  ", "=?", "é", "\t", "a b ", "From ", "\r", "\n", "\r\n", ".", "\\", "\"", "\xff", "a=\n",
		},
		read: func(text string) {
			value := strings.NewReplacer("\r", "", "\n", "").Replace(text)
			m := compose.Message{
				From: compose.Mailbox{Name: value, Address: "a@b.org"}, Subject: value, HTML: &text, Text: &text,
				Files: []compose.File{
					{Name: value[:min(len(value), 255)], ContentType: "message/rfc822", Body: []byte(text)},
					{Name: "a", ContentType: "text/plain", Body: []byte(text)},
				},
			}
			for _, f := range []compose.Field{{Name: "X-A", Value: value}, {Name: "References", Value: value}} {
				if f.Check() == nil {
					m.Fields = append(m.Fields, f)
				}
			}
			m.Bytes()
		},
	},
	{
		name: "icalendar", sizes: [2]int{1000, 4000},
		pieces: []string{
			"A:b\n", "\n ", "\r\n\t", "\r", "\"", ":", ";", "a", "A;…B=c;…:d\n", "BEGIN:VCALENDAR\n", "\uFEFF", "\xff",
		},
		read: func(text string) {
			icalendar.Method([]byte(text))
			for _, label := range []string{"", "windows-1252", "iso-2022-jp", "utf-16le"} {
				_, _, _ = icalendar.Text([]byte(text), label)
			}
		},
	},
	{name: "maillog", sizes: [2]int{600, 1200}, pieces: piecesOfAnswers, read: logEvent}, // it reads 4 KiB
	{
		name: "freetext", sizes: [2]int{600, 1200},
		pieces: []string{
			"a/", "/", "@", "a@b", "a@b.c,", " ", `"`, `\"`, `\`, `"a@b `, `"a"@b `, `\" a@b `, "%40", "%61", `\u0040`,
			".", "é",
			"。",
		},
		read: func(text string) {
			freetext.ReplaceAddresses(text, func(found string, forms []string) string {
				freetext.AddressesIn(found)
				return found
			})
		},
	},
	{
		name: "address", sizes: [2]int{250, 1000},
		pieces: []string{
			"a", "@", ".", "-", "xn--", "é", "。", "\"", "\\", "a@b.org", " ", "(", ")", "<", ">", "[", "::",
		},
		read: func(text string) {
			for _, s := range []string{text, "a@" + text, text + "@b.org"} {
				_, _ = address.Parse(s)
				_, _ = address.Normal(s)
				_, _ = address.Domain(s)
			}
		},
	},
}

var piecesOfAnswers = []string{
	" ", "a", "a@b.org ", "a/", "@", "\"", "\\\"", "=?utf-8?q?a?= ", "=?utf-8?b?…YWFh…?=", "=?x?b?", "(", ")",
	"<a@b.org>",
	",", "é",
}

// logEvent reads a text everywhere in an event of SES. The mail has left the log, so that no table is asked.
func logEvent(text string) {
	mail := map[string]any{
		"timestamp": "2020-01-01T00:00:00Z", "messageId": "a", "source": text,
		"destination":   []string{"a@b.org", text},
		"commonHeaders": map[string]any{"from": []string{text}, "subject": text},
		"tags":          map[string]any{"frontdesk-key": []string{"1"}},
	}
	recipients := []map[string]string{
		{"emailAddress": text, "diagnosticCode": text}, {"emailAddress": "a@b.org", "diagnosticCode": "b " + text},
	}
	s := maillog.Service{Log: slog.New(slog.DiscardHandler)}
	for _, detail := range []map[string]any{
		{"eventType": "Bounce", "bounce": map[string]any{"bounceType": text, "bouncedRecipients": recipients}},
		{"eventType": "Delivery", "delivery": map[string]any{"recipients": []string{text}, "smtpResponse": text}},
	} {
		detail["mail"] = mail
		event, _ := json.Marshal(map[string]any{"source": "aws.ses", "detail": detail})
		_, _ = s.Invoke(context.Background(), event)
	}
}
