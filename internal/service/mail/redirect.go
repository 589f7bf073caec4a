package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/redirect"
)

// originalTo is the header field of a redirected mail that names the original recipients.
const originalTo = "X-Original-To"

// maxOriginals bounds the recipients that the field names. The rest are counted.
const maxOriginals = 20

// redirected returns the message for a group, rewritten by the group's redirect. To and Cc get the redirect's address,
// the subject begins with the first original recipient, and the fields that unsubscribe are removed: the tester's
// mailbox would otherwise unsubscribe a customer.
func redirected(m compose.Message, group delivery.Envelope) *compose.Message {
	m.To, m.Cc = redirectedBoxes(m.To, group.Redirect), redirectedBoxes(m.Cc, group.Redirect)
	if len(group.Originals()) == 0 {
		// The whole group is let through; To and Cc may name people of other groups.
		return &m
	}
	m.Fields = slices.DeleteFunc(slices.Clone(m.Fields), func(f compose.Field) bool {
		return strings.EqualFold(f.Name, listUnsubscribe) || strings.EqualFold(f.Name, listUnsubscribePost)
	})
	named := namedRecipients(group)
	if len(named) == 0 { // each original recipient is a bcc that the copy must hide
		return &m
	}
	m.Subject = strings.TrimSpace("[" + named[0] + "] " + m.Subject)
	value := list(named[:min(len(named), maxOriginals)])
	if more := len(named) - maxOriginals; more > 0 {
		value += fmt.Sprintf(" and %d more", more)
	}
	m.Fields = append(m.Fields, compose.Field{Name: originalTo, Value: value})
	return &m
}

// redirectedBoxes returns the mailboxes of a header field. The redirect's address stands once, in place of all
// mailboxes that it replaces.
func redirectedBoxes(boxes []compose.Mailbox, rule redirect.Rule) (list []compose.Mailbox) {
	there := slices.ContainsFunc(boxes, func(box compose.Mailbox) bool { return rule.IsTo(box.Address) })
	for _, box := range boxes {
		switch {
		case !rule.Redirects(box.Address):
			list = append(list, box)
		case !there:
			list = append(list, compose.Mailbox{Address: rule.To})
			there = true
		}
	}
	return list
}

// namedRecipients returns the original recipients whom the copy may name. If somebody who is let through gets the same
// copy, those of Bcc stay hidden from him.
func namedRecipients(group delivery.Envelope) []string {
	others := func(list []string) bool {
		return slices.ContainsFunc(list, func(to string) bool {
			return !group.Redirect.IsTo(to) && !group.Redirect.Redirects(to)
		})
	}
	if others(group.To) || others(group.Cc) || others(group.Bcc) {
		group.Bcc = nil
	}
	return group.Originals()
}
