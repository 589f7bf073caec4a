package compose_test

import (
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/service/mail/compose"
)

func ExampleMessage_Bytes() {
	text := "Dear Ada,\n\nyour ticket is closed.\n"
	m := compose.Message{
		From:    compose.Mailbox{Name: "Help Desk", Address: "help@example.com"},
		To:      []compose.Mailbox{{Name: "Ada Lovelace", Address: "ada@example.org"}, {Address: "grete@example.org"}},
		Subject: "Grüße aus Zürich",
		Date:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Fields:  []compose.Field{{Name: "X-Ticket", Value: "4711"}},
		Text:    &text,
	}
	fmt.Print(strings.ReplaceAll(string(m.Bytes()), "\r\n", "\n"))
	// Output:
	// From: Help Desk <help@example.com>
	// To: Ada Lovelace <ada@example.org>,
	//  grete@example.org
	// Subject: =?utf-8?b?R3LDvMOfZSBhdXMgWsO8cmljaA==?=
	// Date: Fri, 02 Jan 2026 03:04:05 +0000
	// X-Ticket: 4711
	// MIME-Version: 1.0
	// Content-Transfer-Encoding: quoted-printable
	// Content-Type: text/plain; charset=utf-8
	//
	// Dear Ada,
	//
	// your ticket is closed.
}
