// Package icalendar reads what a mail has to know of a calendar that it carries.
package icalendar

import (
	"bytes"
	"strings"
)

// maxHeader is how much of a calendar is read, in bytes: the properties before its first component have some hundred.
const maxHeader = 64 << 10

// unfold joins the lines of a property (RFC 5545 section 3.1). Many calendars end lines in LF alone.
var unfold = strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "")

// Method is the METHOD of a calendar (RFC 5545 section 3.7.2), as it is written there, "" for none. It stands before
// the events and other components, which are not read.
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

// property splits a line into name and value. Between them may be parameters, in which a colon is quoted.
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
