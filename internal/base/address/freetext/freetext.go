// Package freetext finds e-mail addresses in free text, such as subjects and the answers of mail servers.
// It is not part of package address, because few functions need its regular expressions.
package freetext

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// maxLocalPart is the greatest length in bytes of the part before the @ (RFC 5321 section 4.5.3.1.1).
const maxLocalPart = 64

// anAddress matches what looks like an e-mail address in a text. The local part may be a quoted string (RFC 5322
// section 3.4.1). It has at most 64 characters: without a bound each quotation mark would be searched for up to the
// end of the text. A backslash escapes the next character, also before the @. In a URL, %40 is the @ (RFC 3986
// section 2.1).
var anAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("(\\"|[^"]){0,64}"|([^\s<>()\[\]:;,"\\]|\\.)*)\\?(@|%40)[^\s<>()\[\]:;,"\\]*`)
})

// plainAt writes every form of the @ as it is.
var plainAt = strings.NewReplacer(`\@`, "@", "%40", "@")

// marks are characters that may stand around an address.
const marks = ".'`{}|*!?/="

// separators end what stands before an address, as in a URL. Hardly any address contains one.
const separators = "/=|#?"

// ReplaceAddresses calls replace for everything in a text that looks like an address, and puts the result in its place.
// found is the text as it stands there. forms are the addresses that it may be: with and without the marks around it,
// and without the label "to=" that logs of mail servers write before it.
func ReplaceAddresses(text string, replace func(found string, forms []string) string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "%40") {
		return text
	}
	return anAddress().ReplaceAllStringFunc(text, func(found string) string {
		plain := strings.Trim(strings.ToLower(plainAt.Replace(found)), marks)
		return replace(found, []string{found, plain, strings.Trim(strings.TrimPrefix(plain, "to="), marks)})
	})
}

// AddressesIn returns the addresses that may stand in what [ReplaceAddresses] has found. It leaves out what stands
// before and behind them in URLs, in JSON and in scripts without spaces.
func AddressesIn(found string) []string {
	forms := append(within(plainAt.Replace(found)), within(decoded(found))...)
	slices.Sort(forms)
	return slices.Compact(forms)
}

// escapes matches escaped bytes of URLs (RFC 3986 section 2.1), and an escaped character of JSON (RFC 8259 section 7).
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(%[0-9A-Fa-f]{2})+|\\u[0-9A-Fa-f]{4}|\\.`)
})

// decoded returns a text without escapes. An escape that stands for no character of an address may become another such
// character: a line end becomes a space.
func decoded(text string) string {
	return escapes().ReplaceAllStringFunc(text, func(escape string) string {
		switch {
		case escape[0] == '%': // several bytes may be one character of UTF-8
			bytes, _ := hex.DecodeString(strings.ReplaceAll(escape, "%", ""))
			return string(bytes)
		case len(escape) == len(`\u0000`):
			code, _ := strconv.ParseUint(escape[len(`\u`):], 16, 32)
			return string(rune(code))
		case strings.Contains("nrtbf", escape[1:]):
			return " "
		}
		return escape[1:]
	})
}

// within returns the addresses that a text may have: every possible local part with every possible domain around
// each @.
func within(text string) (forms []string) {
	for at, c := range text {
		if c != '@' {
			continue
		}
		locals := localParts(text[:at])
		for _, domain := range domains(text[at+1:]) {
			for _, local := range locals {
				forms = append(forms, local+"@"+domain)
			}
		}
	}
	return forms
}

// localParts returns what may be the part before an @. These are the characters at the end of a text that a local part
// may have (RFC 5322 section 3.2.3), and the parts of these behind each separator, unless they are too long.
func localParts(text string) (parts []string) {
	part := strings.TrimRight(text[len(strings.TrimRightFunc(text, isOfLocalPart)):], marks)
	for {
		part = strings.TrimLeft(part, marks)
		if part != "" && len(part) <= maxLocalPart {
			parts = append(parts, part)
		}
		i := strings.IndexAny(part, separators)
		if i < 0 {
			return parts
		}
		part = part[i+1:]
	}
}

func isOfLocalPart(c rune) bool {
	return c > ' ' && c <= '~' && !strings.ContainsRune(`()<>[]:;@\,"`, c)
}

// domains returns what may be the part behind an @: the letters at the beginning of a text, once of all scripts and
// once of ASCII alone.
func domains(text string) []string {
	end := strings.IndexFunc(text, func(c rune) bool {
		return !strings.ContainsRune("-.。．｡", c) && !unicode.In(c, unicode.L, unicode.M, unicode.N)
	})
	if end >= 0 {
		text = text[:end]
	}
	domain := strings.Trim(text, "-.")
	ascii := strings.IndexFunc(text, func(c rune) bool { return c > unicode.MaxASCII })
	if ascii < 0 {
		return []string{domain}
	}
	return []string{domain, strings.Trim(text[:ascii], "-.")}
}
