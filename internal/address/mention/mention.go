// Package mention finds e-mail addresses in texts that others wrote, such as subjects and the answers of mail servers.
// It is apart from the rules for addresses, because few functions need the regular expression.
package mention

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// anAddress is what looks like an e-mail address in a text. Its local part may be a quoted string (RFC 5322 section
// 3.4.1). A backslash escapes the next character, also before the @. In a URL %40 is the @ (RFC 3986 section 2.1).
var anAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("(\\"|[^"])*"|([^\s<>()\[\]:;,"\\]|\\.)*)\\?(@|%40)[^\s<>()\[\]:;,"\\]*`)
})

// plainAt writes the @ of an address as it is.
var plainAt = strings.NewReplacer(`\@`, "@", "%40", "@")

// marks may stand around an address.
const marks = ".'`{}|*!?/="

// separators end what stands before an address, as in a URL. Hardly any address has one.
const separators = "/=|#?"

// Replace puts what replace gives in place of everything in a text that looks like an address. Replace gets it as it
// was found, and the forms that the address may have: with and without the marks around it, and without the label that
// it has in logs of mail servers.
func Replace(text string, replace func(found string, forms []string) string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "%40") {
		return text
	}
	return anAddress().ReplaceAllStringFunc(text, func(found string) string {
		plain := strings.Trim(strings.ToLower(plainAt.Replace(found)), marks)
		return replace(found, []string{found, plain, strings.Trim(strings.TrimPrefix(plain, "to="), marks)})
	})
}

// Within are the addresses that stand in what [Replace] has found, without what stands before and behind each in URLs,
// in JSON and in scripts that have no spaces.
func Within(found string) []string {
	forms := append(within(plainAt.Replace(found)), within(decoded(found))...)
	slices.Sort(forms)
	return slices.Compact(forms)
}

// anEscape is how URLs (RFC 3986 section 2.1) and JSON (RFC 8259 section 7) write a character.
var anEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\.`)
})

// decoded is a text without escapes. What is no letter of an address may become another one of these.
func decoded(text string) string {
	return anEscape().ReplaceAllStringFunc(text, func(escape string) string {
		if strings.ContainsAny(escape[1:2], "nrtbf") {
			return " "
		}
		code, err := strconv.ParseUint(strings.TrimLeft(escape, `%\u`), 16, 32)
		if len(escape) < 3 || err != nil {
			return escape[1:]
		}
		return string(rune(code))
	})
}

// within are the addresses that a text may have, whatever stands before and behind each.
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

// localParts are what of a text may be the part before an @: the letters that it may have (RFC 5322 section 3.2.3) at
// the text's end, and what of these is behind a separator.
func localParts(text string) (parts []string) {
	part := text[len(strings.TrimRightFunc(text, isOfLocalPart)):]
	for {
		if trimmed := strings.Trim(part, marks); trimmed != "" {
			parts = append(parts, trimmed)
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

// domains are what of a text may be the part behind an @: letters at its beginning, of all scripts or of ASCII.
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
