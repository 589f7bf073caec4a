// Package address has the rules for e-mail addresses, both of mails and of users.
package address

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Limits of an address, RFC 5321 section 4.5.3.1.
const (
	Max          = 254 // bytes in all: a path of 256 less its angle brackets
	maxLocalPart = 64  // bytes before the @
)

// Parse reads an address and returns it as envelopes and headers have it: the domain in its ASCII form (RFC 5891), in
// lower case. The local part stays as it is.
//
// Only a bare addr-spec (RFC 5322 section 3.4.1) is an address. There is no display name, comment or quoted local part.
// The local part is ASCII, because SES does not offer SMTPUTF8. It does not contain "=?", which begins an encoded word
// (RFC 2047 section 2): a mail reader might decode it and show another address. The text of the error continues the
// name of the field.
func Parse(s string) (string, error) {
	if s == "" {
		return "", errors.New("is missing")
	}
	// The domain may become shorter in ASCII. Far longer text is refused unread, and is not repeated in the error.
	if len(s) > 4*Max {
		return "", fmt.Errorf("is longer than %d bytes", Max)
	}
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return "", fmt.Errorf("%q is not a valid e-mail address: it has no @", s)
	}
	local, domain := s[:at], s[at+1:]
	switch {
	case strings.IndexFunc(local, func(c rune) bool { return c > 0x7e }) >= 0:
		return "", fmt.Errorf("%q is not a valid e-mail address: the part before the @ must be ASCII", s)
	case strings.Contains(local, "=?"):
		return "", fmt.Errorf("%q is not a valid e-mail address: the part before the @ must not contain =?", s)
	case len(local) > maxLocalPart:
		return "", fmt.Errorf("%q is not a valid e-mail address: the part before the @ is longer than %d bytes",
			s, maxLocalPart)
	}
	ascii, err := Domain(domain)
	if err != nil {
		return "", fmt.Errorf("%q is not a valid e-mail address: its domain is not a valid host name", s)
	}
	address := local + "@" + ascii
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || parsed.Name != "" {
		return "", fmt.Errorf("%q is not a valid e-mail address", s)
	}
	if len(address) > Max {
		return "", fmt.Errorf("%q is longer than %d bytes", s, Max)
	}
	return address, nil
}

// Normal is Parse in lower case, the form in which addresses are compared. Mail servers are allowed to treat local
// parts as different that only differ in case, but hardly any does.
func Normal(s string) (string, error) {
	parsed, err := Parse(s)
	return strings.ToLower(parsed), err
}

// Domain turns a domain into its ASCII form, as a client does before it looks the domain up (UTS 46).
//
// It makes the profile for each call. As a variable of the package, the profile would put 170 KB of tables into every
// function whose package imports this one, whether the function reads an address or not.
func Domain(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", errors.New("is not UTF-8") // idna would encode it without an error
	}
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))
	return profile.ToASCII(s)
}
