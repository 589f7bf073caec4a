// Package mail is the outbound mail endpoint: it reads a JSON description of a mail, fetches what the
// description points to, writes the MIME message and hands it to SES.
//
// A mail goes through the files in this order: decode, key, idempotency, rules, envelope, quota, fetch, content, the
// package compose, delivery and ses. run remembers how far it has come; handler and service are where they meet.
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
	// MaxRecipients counts To, Cc and Bcc together. SES takes 50 in one call, and is called for each 50.
	MaxRecipients = 1000
	// MaxSize is the size of the finished MIME message in bytes, as SES counts it.
	// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
	MaxSize = 40 << 20
	// MaxAttachments is the number of attachments.
	MaxAttachments = 50
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
	Attachments  []Attachment
	Switches     []Switch
}

// Source is where one kind of content comes from: a string, a URL, or both.
type Source struct {
	String string
	URL    string
}

// fetched is the URL that the source is fetched from, "" where its string is used: the string wins unless it
// is blank, or urlFirst.
func (s Source) fetched(urlFirst bool) string {
	if !blank(s.String) && !urlFirst {
		return ""
	}
	return s.URL
}

// Attachment is a file: one that is fetched when the mail is sent, or one that came with it.
type Attachment struct {
	URL      string
	Content  []byte // in place of the URL
	Filename string // "" lets the download decide
	CID      string // Content-ID without its angle brackets; "" for a file that the HTML does not refer to
}

// Switch changes default behaviour.
type Switch string

const (
	AllowEmpty      Switch = "allowempty"      // a mail may have an empty body
	IgnoreDLFails   Switch = "ignoredlfails"   // an attachment that cannot be downloaded is left out
	NoConversion    Switch = "noconversion"    // no plain text is made from the HTML
	URLBeforeString Switch = "urlbeforestring" // a source's URL is preferred to its string
)

var switches = []Switch{AllowEmpty, IgnoreDLFails, NoConversion, URLBeforeString}

// on reports whether the mail's config has a switch.
func (m *Mail) on(s Switch) bool {
	return slices.Contains(m.Switches, s)
}

// blank reports whether a text has nothing to read. White space alone is nothing.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
