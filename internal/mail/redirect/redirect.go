// Package redirect sends mails to one address in place of their recipients. A stack or a mail key that is for tests has
// such a rule, and cannot write to customers by mistake.
package redirect

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/address"
)

// Rule says where mails go. The zero Rule lets every address through. Those that are made by [Rule.Normal] have an
// address as it stands in an envelope, and domains in ASCII and lower case.
type Rule struct {
	To    string   // in place of all other addresses
	Allow []string // domains whose addresses are let through; not the domains below them
}

// Tag is the message tag that a redirected mail has, so that SES's events tell of it.
const Tag = "frontdesk-redirected"

// Normal checks a rule, and brings it into the form that addresses are compared with. The error reads on from
// "redirect".
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

// Instead is where a mail to an address goes: both are as envelopes have them, with a domain in ASCII and lower case.
func (r Rule) Instead(address string) string {
	if r.To == "" || slices.Contains(r.Allow, address[strings.LastIndexByte(address, '@')+1:]) {
		return address
	}
	return r.To
}

// Redirects reports whether a mail to an address goes elsewhere.
func (r Rule) Redirects(address string) bool { return r.Instead(address) != address }
