package compose

import (
	"fmt"
	"slices"
	"strings"
)

// reserved are the header fields that a mail may not add, in upper or lower case. A * stands for any further letters.
// Each entry has the field of the request to use instead, or "".
//   - From to Content-*: the message has its own. Each may occur only once (RFC 5322 section 3.6), and SES refuses
//     duplicates.
//   - Message-ID and Feedback-ID: SES replaces the first, like the Date, and makes the second from two tags.
//   - Sender and Return-Path: SES wants them verified and sends bounces to them, but only the mail key decides who the
//     sender is. Some servers send bounces to Errors-To and Bounces-To.
//   - X-SES-*: SES obeys them. They select the configuration set, or another account's identity as sender.
//   - The rest are fields that servers write on the way and that other servers trust: traces (RFC 5322 sections 3.6.6
//     and 3.6.7; servers detect a mail loop by Delivered-To), results (RFC 8601) and signatures (RFC 6376, RFC 8617).
//     This service writes X-Original-To itself when it redirects a mail.
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

// CheckReserved returns an error if a mail may not add the header field. The error's text continues a sentence that
// begins with the field's name, and lists all reserved fields.
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
