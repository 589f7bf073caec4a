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
// name of the field. It wraps [ErrSeveral], or a [Surplus] where only something beside the address is wrong.
func Parse(s string) (string, error) {
	if s == "" {
		return "", errors.New("is missing")
	}
	// The domain may become shorter in ASCII. Far longer text is refused unread, and is not repeated in the error.
	if len(s) > 4*Max {
		return "", fmt.Errorf("is longer than %d bytes", Max)
	}
	address, err := bare(s)
	if err == nil {
		return address, nil
	}
	switch surplus, found := peel(s); {
	case found:
		err = surplus
	case strings.Count(s, "@") > 1 && strings.ContainsAny(s, ",; \n"):
		err = ErrSeveral
	}
	return "", fmt.Errorf("%q is not a valid e-mail address: %w", s, err)
}

// ErrSeveral is the fault of a list of addresses where one is meant.
var ErrSeveral = errors.New("it is several addresses; give one alone")

// bare reads an address with nothing beside it. The error says which rule it breaks.
func bare(s string) (string, error) {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return "", errors.New("it has no @")
	}
	local, domain := s[:at], s[at+1:]
	if err := checkLocalPart(local); err != nil {
		return "", err
	}
	ascii, err := Domain(domain)
	address := local + "@" + ascii
	// Domain takes dots at the end, which no address has.
	if parsed, strict := mail.ParseAddress(address); err != nil || strict != nil || parsed.Address != address {
		return "", errors.New("its domain is not a valid host name")
	}
	if len(address) > Max {
		return "", fmt.Errorf("it is longer than %d bytes", Max)
	}
	return address, nil
}

// checkLocalPart checks what stands before the @. Atext is what RFC 5322 section 3.2.3 allows between the dots.
func checkLocalPart(local string) error {
	const atext = "!#$%&'*+-/=?^_`{|}~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	wrong := strings.TrimLeft(local, atext+".")
	switch {
	case local == "":
		return errors.New("nothing is before the @")
	case strings.IndexFunc(local, func(c rune) bool { return c > 0x7e }) >= 0:
		return errors.New("the part before the @ must be ASCII")
	case strings.Contains(local, "=?"):
		return errors.New("the part before the @ must not contain =?")
	case len(local) > maxLocalPart:
		return fmt.Errorf("the part before the @ is longer than %d bytes", maxLocalPart)
	case wrong != "":
		return fmt.Errorf("the part before the @ must not contain %q", wrong[:1])
	case strings.HasPrefix(local, "."), strings.HasSuffix(local, "."), strings.Contains(local, ".."):
		return errors.New("the part before the @ must not begin or end with a dot, or have two in a row")
	}
	return nil
}

// Normal is Parse in the form in which addresses are compared, see [Fold].
func Normal(s string) (string, error) {
	parsed, err := Parse(s)
	return Fold(parsed), err
}

// Fold turns an address from [Parse] into the form in which addresses are compared: all in lower case. Mail servers are
// allowed to treat local parts as different that only differ in case, but hardly any does.
func Fold(parsed string) string { return strings.ToLower(parsed) }

// Domain turns a domain into its ASCII form, as a client does before it looks the domain up (UTS 46).
//
// It makes the profile for each call. As a variable of the package, the profile would put 170 KB of tables into every
// function whose package imports this one, whether the function reads an address or not.
func Domain(s string) (string, error) {
	if !utf8.ValidString(s) {
		// idna would encode it without an error.
		return "", errors.New("is not UTF-8")
	}
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))
	return profile.ToASCII(s)
}
