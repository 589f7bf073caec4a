package compose

import (
	"errors"
	"slices"
	"strings"
)

// reserved are the header fields that a mail may not add, in upper or lower case. A * stands for any further letters.
// Each has the end of the error that it is: what to use in its place, or who writes it.
//   - From to Content-*: the message has its own. Each may occur only once (RFC 5322 section 3.6), and SES refuses
//     duplicates.
//   - Message-ID and Feedback-ID: SES replaces the first, like the Date, and makes the second from two tags.
//   - Sender and Return-Path: SES wants them verified and sends bounces to them, but only the mail key decides who the
//     sender is. Some servers send bounces to Errors-To and Bounces-To.
//   - X-SES-*: SES obeys them. They select the configuration set, or another account's identity as sender.
//   - Idempotency-Key, and what Brevo reads among the header fields of a mail: they would leave, and do nothing.
//   - The rest are fields that servers write on the way and that other servers trust: traces (RFC 5322 sections 3.6.6
//     and 3.6.7; servers detect a mail loop by Delivered-To), results (RFC 8601) and signatures (RFC 6376, RFC 8617).
//     This service writes X-Original-To itself when it redirects a mail.
//
// https://docs.aws.amazon.com/ses/latest/dg/header-fields.html
var reserved = []reservedField{
	{"From", "use sender"},
	{"To", "use recipients"},
	{"Cc", "use ccs"},
	{"Bcc", "use bccs"},
	{"Reply-To", "use replyto"},
	{"Date", "a mail has the time at which it is sent"},
	{"MIME-*", "html, text and attachments decide it"},
	{"Content-*", "html, text and attachments decide it, each of attachments by its type"},
	{"Message-ID", "SES gives each mail its own, which the answer has as message_id"},
	{"Feedback-ID", "use tags, of which SES makes it"},
	{"Sender", "use sender, which becomes From"},
	{"Return-Path", bounces},
	{"Errors-To", bounces},
	{"Bounces-To", bounces},
	{"X-SES-*", "SES would obey it; use tags for tags, and leave the rest to the operator"},
	{"Idempotency-Key", ofRequest},
	{"idempotencyKey", ofRequest},
	{"X-Sib-Sandbox", "the mail would be sent; for tests, use a mail key that redirects its mails"},
	{"Resent-*", "a mail that somebody hands on has it; send a new mail"},
	{"Received", onTheWay},
	{"Received-SPF", onTheWay},
	{"Delivered-To", onTheWay},
	{"X-Original-To", "only a mail that is redirected has it"},
	{"Authentication-Results", onTheWay},
	{"DKIM-Signature", signed},
	{"DomainKey-Signature", signed},
	{"ARC-*", onTheWay},
}

const (
	bounces   = "bounces go to the log of mails, which GET /mails shows"
	ofRequest = "send it as a header field of the request, so that the mail is sent once"
	onTheWay  = "the servers that a mail passes write it"
	signed    = "SES signs each mail"
)

type reservedField struct{ name, why string }

// CheckReserved returns an error if a mail may not add the header field. The error's text continues a sentence that
// begins with the field's name, and says what to use.
func CheckReserved(name string) error {
	i := slices.IndexFunc(reserved, func(r reservedField) bool {
		prefix, wild := strings.CutSuffix(r.name, "*")
		return strings.EqualFold(name, prefix) ||
			wild && len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
	})
	if i < 0 {
		return nil
	}
	return errors.New("may not be set: " + reserved[i].why)
}
