// Package icalendar reads what a mail needs to know about a calendar that it carries, and writes it as it has to
// travel.
package icalendar

import (
	"bytes"
	"strings"
)

// maxHeader is the number of bytes that are read of a calendar. The properties before its first component usually
// take some hundred bytes.
const maxHeader = 64 << 10

// unfold joins the lines of a folded property (RFC 5545 section 3.1). It accepts LF alone, because many calendars end
// their lines so.
var unfold = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "")

// Method returns the METHOD of a calendar (RFC 5545 section 3.7.2) as it is written there, or "". METHOD comes before
// events and other components, so Method stops at the first of them.
func Method(calendar []byte) string {
	header := bytes.TrimPrefix(calendar[:min(len(calendar), maxHeader)], []byte("\uFEFF"))
	for line := range strings.Lines(unfold.Replace(string(header))) {
		name, value := property(line)
		switch {
		case strings.EqualFold(name, "METHOD"):
			return value
		case strings.EqualFold(name, "BEGIN") && !strings.EqualFold(value, "VCALENDAR"), strings.EqualFold(name, "END"):
			return ""
		}
	}
	return ""
}

// property splits a line into its name and value. Parameters may stand between them; a colon in a parameter is quoted.
func property(line string) (name, value string) {
	inQuotes := false
	colon := strings.IndexFunc(line, func(c rune) bool {
		if c == '"' {
			inQuotes = !inQuotes
		}
		return c == ':' && !inQuotes
	})
	if colon < 0 {
		return "", ""
	}
	name, _, _ = strings.Cut(line[:colon], ";")
	return name, strings.TrimSpace(line[colon+1:])
}
