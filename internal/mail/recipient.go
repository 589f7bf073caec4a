package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"golang.org/x/net/idna"
)

// Limits of an address, RFC 5321 section 4.5.3.1.
const (
	maxLocalPart = 64  // bytes before the @
	maxAddress   = 254 // bytes in all: a path of 256 less its angle brackets
)

// hostname turns a domain into its ASCII form, as a client does before it looks it up (UTS 46).
var hostname = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// Recipient is a person: somebody a mail goes to, or its sender.
type Recipient struct {
	Email string
	Name  string // display name, may be empty
}

// ParseRecipient reads a recipient from "a@b" or "Name <a@b>", as an operator writes it.
func ParseRecipient(s string) (Recipient, error) {
	parsed, err := mail.ParseAddress(s)
	if err != nil {
		return Recipient{}, fmt.Errorf("%q is not an address, nor of the form Name <address>", s)
	}
	r := Recipient{Email: parsed.Address, Name: parsed.Name}
	if _, err := r.address(); err != nil {
		return Recipient{}, err
	}
	return r, headerSafe(r.Name)
}

// address is the recipient's address as it stands in the envelope and in headers: the domain in its ASCII
// form (RFC 5891), in lower case.
//
// Only a bare addr-spec (RFC 5322 section 3.4.1) is one: no display name, comment or quoted local part, and
// no local part outside ASCII, because SES does not offer SMTPUTF8.
func (r Recipient) address() (string, error) {
	if r.Email == "" {
		return "", errors.New("is missing")
	}
	if len(r.Email) > 4*maxAddress {
		return "", fmt.Errorf("is longer than %d bytes", maxAddress)
	}
	at := strings.LastIndexByte(r.Email, '@')
	if at < 0 {
		return "", fmt.Errorf("%q is not a valid e-mail address: it has no @", r.Email)
	}
	local, domain := r.Email[:at], r.Email[at+1:]
	switch {
	case strings.IndexFunc(local, func(c rune) bool { return c > 0x7e }) >= 0:
		return "", fmt.Errorf("%q is not a valid e-mail address: the part before the @ must be ASCII", r.Email)
	case len(local) > maxLocalPart:
		return "", fmt.Errorf("%q is not a valid e-mail address: the part before the @ is longer than %d bytes", r.Email, maxLocalPart)
	}
	ascii, err := hostname.ToASCII(domain)
	if err != nil {
		return "", fmt.Errorf("%q is not a valid e-mail address: its domain is not a valid host name", r.Email)
	}
	address := local + "@" + ascii
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || parsed.Name != "" {
		return "", fmt.Errorf("%q is not a valid e-mail address", r.Email)
	}
	if len(address) > maxAddress {
		return "", fmt.Errorf("%q is longer than %d bytes", r.Email, maxAddress)
	}
	return address, nil
}

// headerSafe refuses what would end a header field before its time, or hide the rest of it.
func headerSafe(value string) error {
	if strings.ContainsAny(value, "\r\n\x00") {
		return errors.New("must not contain CR, LF or NUL")
	}
	return nil
}
