package compose

import (
	"fmt"
	"slices"
	"strings"
)

// reserved are the header fields that a mail may not add, in any case of letters; a * stands for any further letters.
// Beside each is the field of the request to use in its place, "" for none.
//   - From to Content-*: the message writes them itself. Each may be there once (RFC 5322 section 3.6), and SES
//     refuses a second one.
//   - Message-ID, which SES replaces, as it does the Date, and Feedback-ID, which it makes of two tags.
//   - Sender and Return-Path: SES has them verified as senders and sends bounces there, but the mail key alone says as
//     whom it sends. Some servers send bounces to Errors-To and Bounces-To.
//   - X-SES-*: SES takes them as orders, such as the configuration set, or an identity of another account to send as.
//   - What servers write on the way and other servers believe: traces (RFC 5322 sections 3.6.6 and 3.6.7; a mail that
//     loops is known by its Delivered-To), results (RFC 8601) and signatures (RFC 6376, RFC 8617). X-Original-To is
//     ours where a mail is redirected.
//
// https://docs.aws.amazon.com/ses/latest/dg/header-fields.html
var reserved = []reservedField{
	{"From", "sender"},
	{"To", "recipients"},
	{"Cc", "ccs"},
	{"Bcc", "bccs"},
	{"Reply-To", "replyto"},
	{"Subject", "subject"},
	{"Date", ""},
	{"MIME-*", ""},
	{"Content-*", ""},
	{"Message-ID", ""},
	{"Feedback-ID", "tags"},
	{"Sender", ""},
	{"Return-Path", ""},
	{"Errors-To", ""},
	{"Bounces-To", ""},
	{"X-SES-*", ""},
	{"Resent-*", ""},
	{"Received", ""},
	{"Received-SPF", ""},
	{"Delivered-To", ""},
	{"X-Original-To", ""},
	{"Authentication-Results", ""},
	{"DKIM-Signature", ""},
	{"DomainKey-Signature", ""},
	{"ARC-*", ""},
}

type reservedField struct{ name, instead string }

// CheckReserved refuses a header field that a mail may not add, whatever the case of its letters.
func CheckReserved(name string) error {
	i := slices.IndexFunc(reserved, func(r reservedField) bool {
		prefix, wild := strings.CutSuffix(r.name, "*")
		return strings.EqualFold(name, prefix) ||
			wild && len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
	})
	if i < 0 {
		return nil
	}
	var names []string
	for _, r := range reserved {
		names = append(names, r.name)
	}
	use := ""
	if instead := reserved[i].instead; instead != "" {
		use = ": use " + instead
	}
	return fmt.Errorf("may not be set%s; reserved are %s", use, strings.Join(names, ", "))
}
