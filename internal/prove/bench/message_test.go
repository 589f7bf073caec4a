package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// message is a mail as the input of every writer.
type message struct {
	from       mailbox
	to         []mailbox
	subject    string
	date       time.Time
	text, html string
	files      []file
}

type mailbox struct{ name, address string }

type file struct {
	name string
	body []byte
}

// contentType is the type of every file, so that no writer has to guess it.
const contentType = "application/octet-stream"

// inputs returns the messages to write, by their names in the results.
func inputs() map[string]*message {
	return map[string]*message{"newsletter": newsletter(), "attachments": attachments()}
}

// newsletter has 20 kB of HTML and text, with a non-ASCII subject and names. So few of its letters are beyond ASCII
// that both writers choose quoted-printable.
func newsletter() *message {
	const articles = 29
	var text, html strings.Builder
	html.WriteString("<!DOCTYPE html>\n" +
		"<html lang=\"de\"><head><meta charset=\"utf-8\"><title>Neuigkeiten</title></head>\n<body>\n")
	for i := range articles {
		fmt.Fprintf(&text, `%d. Kürzere Wartezeiten für Ihre Kundinnen und Kunden

Seit heute ordnet das Hilfe-Center Anfragen von selbst der richtigen Kategorie zu. Größere Teams sparen
damit bis zu 3 Stunden am Tag. Mehr dazu: https://example.com/news/%d

`, i+1, i+1)
		const h2 = `<h2 style="color:#224466;font-size:18px">`
		fmt.Fprintf(&html, h2+`%d. Kürzere Wartezeiten für Ihre Kundinnen und Kunden</h2>
<p style="margin:0 0 16px 0;line-height:1.5">Seit heute ordnet das Hilfe-Center Anfragen von selbst
der richtigen Kategorie zu. <b>Größere Teams</b> sparen damit bis zu 3&nbsp;Stunden am Tag.</p>
<p style="margin:0 0 32px 0"><a href="https://example.com/news/%d" target="_blank">Mehr dazu</a></p>
<hr style="border:0;border-top:1px solid #dddddd">
`, i+1, i+1)
	}
	html.WriteString("</body></html>\n")
	return &message{
		from: mailbox{"Zoë vom Empfang", "news@example.com"},
		to: []mailbox{
			{"Jürgen Müller", "juergen@example.org"}, {"Łukasz Żak", "lukasz@example.net"}, {"山田太郎", "taro@example.jp"},
		},
		subject: "Neuigkeiten für Sie: kürzere Wartezeiten, größere Teams – und ein Blick auf den Frühling",
		date:    time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC),
		text:    text.String(),
		html:    html.String(),
	}
}

// attachments has five files of 5 x 1024^2 random bytes each, and a short text. Encoded, it is close to the 40 x
// 1024^2 bytes that SES accepts.
func attachments() *message {
	m := newsletter()
	m.subject = "Die Unterlagen für Freitag"
	m.text = "Hallo zusammen,\n\ndie Unterlagen für Freitag sind angehängt.\n\nBis dann,\nZoë\n"
	m.html = "<p>Hallo zusammen,</p>\n<p>die Unterlagen für Freitag sind angehängt.</p>\n<p>Bis dann,<br>Zoë</p>\n"
	random := rand.NewChaCha8([32]byte{})
	for i := range 5 {
		f := file{name: fmt.Sprintf("Anlage %d.bin", i+1), body: make([]byte, 5<<20)}
		random.Read(f.body) // it never fails
		m.files = append(m.files, f)
	}
	return m
}

// size returns how many bytes a writer has to encode.
func (m *message) size() int {
	n := len(m.text) + len(m.html)
	for _, f := range m.files {
		n += len(f.body)
	}
	return n
}
