package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/redirect"
)

// originalTo is the header field of a redirected mail that names those whom it was for.
const originalTo = "X-Original-To"

// maxOriginals is how many of them it names.
const maxOriginals = 20

// redirected is the letter to a group as the group's rule has it: To and Cc have the rule's address, the subject begins
// with the first of those whom the letter was for, and no field unsubscribes anybody.
func redirected(l compose.Letter, group delivery.Envelope) compose.Letter {
	l.To, l.Cc = redirectedBoxes(l.To, group.Redirect), redirectedBoxes(l.Cc, group.Redirect)
	if len(group.Originals()) == 0 {
		return l // all of the group are let through, though others in To or Cc may not be
	}
	l.Fields = slices.DeleteFunc(slices.Clone(l.Fields), func(f compose.Field) bool {
		return strings.EqualFold(f.Name, listUnsubscribe) || strings.EqualFold(f.Name, listUnsubscribePost)
	})
	named := named(group)
	if len(named) == 0 {
		return l
	}
	l.Subject = strings.TrimSpace("[" + named[0] + "] " + l.Subject)
	value := list(named[:min(len(named), maxOriginals)])
	if more := len(named) - maxOriginals; more > 0 {
		value += fmt.Sprintf(" and %d more", more)
	}
	l.Fields = append(l.Fields, compose.Field{Name: originalTo, Value: value})
	return l
}

// redirectedBoxes are the mailboxes of a header field, with the rule's address once in place of all that it redirects.
func redirectedBoxes(boxes []compose.Mailbox, rule redirect.Rule) (list []compose.Mailbox) {
	there := slices.ContainsFunc(boxes, func(box compose.Mailbox) bool { return box.Address == rule.To })
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

// named are those of a group whose mail goes elsewhere and whom the copy may name: not those of Bcc, where somebody who
// is let through gets the same copy.
func named(group delivery.Envelope) []string {
	others := func(list []string) bool {
		return slices.ContainsFunc(list, func(to string) bool {
			return to != group.Redirect.To && !group.Redirect.Redirects(to)
		})
	}
	if others(group.To) || others(group.Cc) || others(group.Bcc) {
		group.Bcc = nil
	}
	return group.Originals()
}
