package maillog

import (
	"net/mail"
	"strings"

	"frontdesk/internal/address"
	"frontdesk/internal/address/mention"
	"frontdesk/internal/api"
)

// spellings are the forms in which events may name the recipients of a mail, each with the address as the mail has it.
//
// Other addresses that SES names are not recorded.
type spellings map[string]string

func spellingsOf(recipients []string) spellings {
	s := spellings{}
	for _, to := range recipients {
		s[to] = to
	}
	for _, to := range recipients {
		if form := normal(to); s[form] == "" {
			s[form] = to
		}
	}
	return s
}

// find finds the recipient that an address is of: servers may write it in other letters, or its domain in
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

// redact replaces the addresses in a text that are not of recipients.
func (s spellings) redact(text string) string {
	return mention.Replace(text, func(found string, forms []string) string {
		for _, form := range forms {
			if _, known := s.find(form); known {
				return found
			}
		}
		return "[another address]"
	})
}

// normal is the form in which addresses are compared: the domain in punycode, all in lower case.
func normal(text string) string {
	if normal, err := address.Normal(text); err == nil {
		return normal
	}
	return strings.ToLower(text)
}

// bare is an address without a display name. One that is longer than an address may be is cut.
func bare(text string) string {
	if parsed, err := mail.ParseAddress(text); err == nil {
		return api.Shorten(parsed.Address, address.Max)
	}
	return api.Shorten(text, address.Max)
}
