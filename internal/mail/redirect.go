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
	if len(group.Redirected()) == 0 {
		return l // all of the group are let through, though others in To or Cc may not be
	}
	l.Fields = slices.DeleteFunc(slices.Clone(l.Fields), func(f compose.Field) bool {
		return strings.EqualFold(f.Name, listUnsubscribe) || strings.EqualFold(f.Name, listUnsubscribePost)
	})
	originals := originals(group)
	if len(originals) == 0 {
		return l
	}
	l.Subject = strings.TrimSpace("[" + originals[0] + "] " + l.Subject)
	named := list(originals[:min(len(originals), maxOriginals)])
	if more := len(originals) - maxOriginals; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	l.Fields = append(l.Fields, compose.Field{Name: originalTo, Value: named})
	return l
}

// redirectedBoxes are the mailboxes of a header field, with the rule's address once in place of all that it redirects.
func redirectedBoxes(boxes []compose.Mailbox, rule redirect.Rule) (list []compose.Mailbox) {
	there := false
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

// originals are those of a group whose mail goes elsewhere; where somebody who is let through gets the same copy,
// without those of Bcc.
func originals(group delivery.Envelope) []string {
	others := func(list []string) bool {
		return slices.ContainsFunc(list, func(to string) bool {
			return to != group.Redirect.To && !group.Redirect.Redirects(to)
		})
	}
	if others(group.To) || others(group.Cc) || others(group.Bcc) {
		group.Bcc = nil
	}
	return group.Redirected()
}
