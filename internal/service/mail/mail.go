// Package mail is the endpoint that sends mail, POST /sender.php. Its handler takes a request through six steps:
//
//	decode        Parse the body as a JSON object.
//	authenticate  Verify the mail key (package mailkey), and read what earlier requests for the mail have recorded.
//	permit        Stop if another request works on the mail, or has its final answer (package delivery).
//	accept        Check the mail against every rule, and look up who has unsubscribed (package unsubscribe).
//	deliver       Claim the mail, and hand its messages to SES (package delivery), for other addresses if it is
//	              redirected (package redirect). In between it is prepared: its texts and files are downloaded
//	              (packages fetch, relativeurl and icalendar), and its messages are written (packages plaintext,
//	              contentid and compose).
//	answer        Tell the client what became of it.
package mail

import (
	"slices"
	"strings"

	"frontdesk/internal/service/mail/compose"
)

// Limits of one mail.
const (
	// MaxBody is the greatest size of a request's body in bytes. The limit is Lambda's: an event has at most 6 MB, and
	// API Gateway puts the body into it as base64 or as a JSON string with escapes.
	MaxBody = 4 << 20
	// MaxSize is the greatest size of the finished MIME message in bytes, as SES counts it.
	// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
	MaxSize = 40 << 20
	// MaxText is the greatest size in bytes of a text that is downloaded, and of a calendar that becomes an invitation.
	// A text in the request has no more room. Readers see less: Gmail, for one, shows the first 102 kB of the HTML.
	MaxText = 4 << 20
)

// Mail is a mail as its client describes it. [Mail.check] normalizes its addresses; until then they are as given.
type Mail struct {
	Recipients, CCs, BCCs []compose.Mailbox
	Sender                *compose.Mailbox // nil: the mail key's, or the default sender
	ReplyTo               []compose.Mailbox

	Headers map[string]string // further header fields
	Tags    map[string]string // SES's message tags, which SES's events repeat

	Subject      string
	HTML, Text   Source
	Placeholders []Placeholder
	PerRecipient [][]Placeholder // by recipient; they add to Placeholders, and win
	Attachments  []Attachment
	Switches     []Switch

	List      string   // the mailing list, for a mail with Unsubscribe; "" for none
	Addresses []string // the unsubscribe link of each recipient; nil without Unsubscribe

	Refused []string // unknown fields that are errors
}

// fetches reports whether the mail needs a download.
func (m *Mail) fetches() bool {
	urlFirst := m.on(URLBeforeString)
	return m.HTML.urlToFetch(urlFirst) != "" || m.Text.urlToFetch(urlFirst) != "" ||
		slices.ContainsFunc(m.Attachments, func(a Attachment) bool { return !a.inline() })
}

// blank reports whether a text is empty or only white space.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
