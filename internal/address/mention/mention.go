// Package mention finds e-mail addresses in texts that others wrote, such as subjects and the answers of mail servers.
// It is apart from the rules for addresses, because few functions need the regular expression.
package mention

import (
	"regexp"
	"strings"
	"sync"
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
