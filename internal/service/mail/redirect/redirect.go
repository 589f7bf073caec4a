// Package redirect sends mails to one address instead of their recipients. Stacks and mail keys for tests have such a
// rule, so that they cannot write to customers by mistake.
package redirect

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/base/address"
)

// Rule decides where mails go. The zero Rule changes nothing. A Rule from [Rule.Normal] has the address in the form
// of an envelope, and domains in ASCII and lower case.
type Rule struct {
	To    string   // replaces all other addresses
	Allow []string // domains, without their subdomains, whose addresses stay
}

// Tag is the message tag of a redirected mail. It appears in the events that SES reports.
const Tag = "frontdesk-redirected"

// Normal checks a rule, and returns it in the form that [Rule.Instead] compares. The error's text continues a
// sentence that begins with "redirect".
func (r Rule) Normal() (normal Rule, err error) {
	if r.To == "" && len(r.Allow) == 0 {
		return Rule{}, nil
	}
	normal.To, err = address.Parse(r.To)
	if err != nil {
		return Rule{}, err
	}
	for _, domain := range r.Allow {
		ascii, err := address.Domain(domain)
		if err != nil {
			return Rule{}, fmt.Errorf("lets %q through, which is not a domain", domain)
		}
		normal.Allow = append(normal.Allow, ascii)
	}
	return normal, nil
}

// Instead returns the address to which a mail for the given address goes. Both have the form of an envelope: the
// domain is in ASCII and lower case.
func (r Rule) Instead(to string) string {
	if r.To == "" || r.IsTo(to) || slices.Contains(r.Allow, to[strings.LastIndexByte(to, '@')+1:]) {
		return to
	}
	return r.To
}

// IsTo reports whether an address is the one that mails go to.
func (r Rule) IsTo(to string) bool { return address.Fold(to) == address.Fold(r.To) }

// Redirects reports whether a mail for an address goes to another one.
func (r Rule) Redirects(to string) bool { return r.Instead(to) != to }
