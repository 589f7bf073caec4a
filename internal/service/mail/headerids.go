package mail

import (
	"regexp"
	"strings"
	"sync"
)

// bracketed matches an id in angle brackets (RFC 5322 section 3.6.4, RFC 2919 section 2).
var bracketed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]+>`) })

// idWarnings reports header fields whose ids have no angle brackets, so that mail readers do not find them.
func (m *Mail) idWarnings() (warnings []string) {
	for _, name := range []string{"In-Reply-To", "References"} {
		value := m.header(name)
		beside := bracketed().ReplaceAllString(value, "")
		if value != "" && (beside == value || strings.Contains(beside, "@")) {
			warnings = append(warnings, "headers."+name+" must have each message id in angle brackets, such as "+
				"<0100…@email.amazonses.com>: mail readers find no conversation otherwise (RFC 5322 section 3.6.4)")
		}
	}
	if value := m.header(listID); value != "" && !bracketed().MatchString(value) {
		warnings = append(warnings, "headers.List-ID must have its id in angle brackets, such as <news.example.com>: "+
			"mailboxes find no list otherwise (RFC 2919 section 3)")
	}
	return warnings
}
