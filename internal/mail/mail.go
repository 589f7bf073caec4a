// Package mail is the endpoint that sends mail, POST /sender.php. Its handler takes a request through nine steps:
//
//	decode        The body is a JSON object, which describes a mail.
//	authenticate  The mail key is a good one (package mailkey).
//	resume        No other request sends the mail now, and none has its final answer (package delivery).
//	accept        The mail keeps every rule.
//	address       Who has unsubscribed is left out, and it is claimed, if something is to be fetched (packages
//	              unsubscribe and delivery).
//	fetch         Its texts and files are in memory (packages fetch and icalendar).
//	write         It is a MIME message, or a series of them (packages plaintext, contentid and compose).
//	deliver       SES has it (package delivery), for other addresses than its recipients' where it is redirected
//	              (package redirect).
//	answer        The client is told what became of it.
package mail

import (
	"slices"
	"strings"

	"frontdesk/internal/mail/compose"
)

// Limits of one mail.
const (
	// MaxBody is the size of a request's body in bytes. Lambda's event holds 6 MB, base64 and escapes included.
	MaxBody = 4 << 20
	// MaxSize is the size of the finished MIME message in bytes, as SES counts it.
	// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
	MaxSize = 40 << 20
)

// Mail is a mail as its sender describes it. Its addresses are as they were given until the rules have read them.
type Mail struct {
	Recipients, CCs, BCCs []compose.Mailbox
	Sender                *compose.Mailbox // nil: the mail key's, or the default sender
	ReplyTo               []compose.Mailbox

	Headers map[string]string // further header fields
	Tags    map[string]string // SES's message tags: what its events tell of the mail

	Subject      string
	HTML, Text   Source
	Placeholders []Placeholder
	Own          [][]Placeholder // of each recipient, which add to Placeholders and replace them
	Attachments  []Attachment
	Switches     []Switch

	List      string   // which a mail with Unsubscribe is of; "" for none
	Addresses []string // by which each recipient unsubscribes; nil without Unsubscribe

	Later []string // the names of fields that ask for another time than now
}

// fetches reports whether something of the mail is behind a URL.
func (m *Mail) fetches() bool {
	urlFirst := m.on(URLBeforeString)
	return m.HTML.urlToFetch(urlFirst) != "" || m.Text.urlToFetch(urlFirst) != "" ||
		slices.ContainsFunc(m.Attachments, func(a Attachment) bool { return !a.inline() })
}

// blank reports whether a text has nothing to read: it is empty, or white space alone.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
