package mail

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// inBrackets matches an address of a List-Unsubscribe field (RFC 2369 section 2).
var inBrackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]*:[^<>]*>`) })

const oneClick = "List-Unsubscribe=One-Click"

// unsubscribeWarnings reports fields of the sender's own that mailboxes ignore, so that nobody finds a button. Base is
// the address of the API: a stack on this machine has no https, so links there may do without.
func (m *Mail) unsubscribeWarnings(base string) (warnings []string) {
	link, click := m.header(listUnsubscribe), m.header(listUnsubscribePost)
	if link == "" && click == "" {
		return nil
	}
	addresses := inBrackets().FindAllString(link, -1)
	between := inBrackets().ReplaceAllString(link, "")
	if link != "" && (len(addresses) == 0 || strings.Contains(between, ":")) {
		warnings = append(warnings, "headers.List-Unsubscribe must have its address in angle brackets, such as "+
			"<https://www.example.com/leave>: mailboxes ignore any other (RFC 2369 section 2)")
	}
	if click == "" {
		return warnings
	}
	onThisMachine := strings.HasPrefix(base, "http:")
	if !slices.ContainsFunc(addresses, func(a string) bool {
		scheme, _, _ := strings.Cut(strings.ToLower(a), ":")
		return scheme == "<https" || onThisMachine && scheme == "<http"
	}) {
		warnings = append(warnings, "headers.List-Unsubscribe-Post is ignored by mailboxes: List-Unsubscribe has no "+
			"https address in angle brackets (RFC 8058 section 3.1)")
	}
	if click != oneClick {
		warnings = append(warnings, "headers.List-Unsubscribe-Post is ignored by mailboxes: it must be "+oneClick+
			" (RFC 8058 section 3.1)")
	}
	return warnings
}

// header returns the value of a header field that the mail adds, or "". Names are compared without case.
func (m *Mail) header(name string) string {
	for given, value := range m.Headers {
		if strings.EqualFold(given, name) {
			return value
		}
	}
	return ""
}
