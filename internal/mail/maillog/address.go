package maillog

import (
	"net/mail"
	"regexp"
	"strings"
	"sync"

	"frontdesk/internal/address"
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

// anAddress is what looks like an e-mail address in a text. Its local part may be a quoted string (RFC 5322 section
// 3.4.1). A backslash escapes the next character, also before the @. In a URL %40 is the @ (RFC 3986 section 2.1).
var anAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("(\\"|[^"])*"|([^\s<>()\[\]:;,"\\]|\\.)*)\\?(@|%40)[^\s<>()\[\]:;,"\\]*`)
})

// plainAt writes the @ of an address as it is.
var plainAt = strings.NewReplacer(`\@`, "@", "%40", "@")

// redact replaces the addresses in a text that are not of recipients. The address of a recipient may have marks around
// it, or the label that it has in logs of mail servers.
func (s spellings) redact(text string) string {
	const marks = ".'`{}|*!?/="
	return anAddress().ReplaceAllStringFunc(text, func(found string) string {
		plain := strings.Trim(strings.ToLower(plainAt.Replace(found)), marks)
		for _, form := range []string{found, plain, strings.Trim(strings.TrimPrefix(plain, "to="), marks)} {
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
