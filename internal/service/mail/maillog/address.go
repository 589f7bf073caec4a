package maillog

import (
	"net/mail"
	"strings"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/address/freetext"
	"frontdesk/internal/base/api"
)

// spellings maps the forms in which events may name a mail's recipients to the address as the mail has it. Other
// addresses that SES names are not recorded.
type spellings map[string]string

func spellingsOf(recipients []string) spellings {
	s := spellings{}
	for _, to := range recipients {
		s[to] = to
	}
	// Exact forms come first: of two recipients that differ in case alone each keeps its own.
	for _, to := range recipients {
		if form := normal(to); s[form] == "" {
			s[form] = to
		}
	}
	return s
}

// find returns the recipient with that address. Servers may change the case of letters, or write the domain in
// another script.
func (s spellings) find(text string) (to string, found bool) {
	text = bare(text)
	to, found = s[text]
	if found {
		return to, true
	}
	to, found = s[normal(text)]
	return to, found
}

// redact replaces every address in a text that belongs to no recipient.
func (s spellings) redact(text string) string {
	return freetext.ReplaceAddresses(text, func(found string, forms []string) string {
		for _, form := range forms {
			if _, known := s.find(form); known {
				return found
			}
		}
		return "[another address]"
	})
}

// normal is the form in which addresses are compared: the domain in punycode, all in lower case. A text that is no
// address is only put in lower case.
func normal(text string) string {
	if normal, err := address.Normal(text); err == nil {
		return normal
	}
	return strings.ToLower(text)
}

// bare cuts the display name off an address. It shortens what is longer than an address may be.
func bare(text string) string {
	text = api.Shorten(text, maxRead)
	if parsed, err := mail.ParseAddress(text); err == nil {
		return api.Shorten(parsed.Address, address.Max)
	}
	return api.Shorten(text, address.Max)
}
