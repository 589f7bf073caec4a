package mail

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
)

// Limits of the header fields that a mail adds. SES documents no limit for a raw message but the length of a line.
// Ours stay well below what mail servers accept: Gmail, for example, takes 5,000 fields of 32 KB each.
// https://support.google.com/a/answer/14016360
const (
	MaxHeaders     = 50
	MaxHeaderBytes = 16 << 10 // of names and values together, before they are encoded
)

// checkHeaders refuses names that differ in case alone: header fields are compared without case (RFC 5322 section
// 1.2.2), so one field would be there twice.
func (m *Mail) checkHeaders(f *api.Faults) {
	if n := len(m.Headers); n > MaxHeaders {
		f.AddTo("headers", "are too many: %d; at most %d are allowed", n, MaxHeaders)
		return
	}
	size := 0
	names := map[string]bool{}
	for _, h := range m.fields() {
		field, name := "headers."+api.Brief(h.Name), strings.ToLower(h.Name)
		size += len(h.Name) + len(h.Value)
		if strings.EqualFold(name, subjectField) {
			f.AddTo(field, "is given twice, here and in subject")
			continue
		}
		f.Check(field, cmp.Or(compose.CheckValue(h.Value), h.Check(), compose.CheckReserved(h.Name)))
		if names[name] {
			f.AddTo(field, "is given twice (names are compared in lower case)")
		}
		names[name] = true
	}
	if size > MaxHeaderBytes {
		f.AddTo("headers", "are too large: names and values have %d bytes together; at most %d are allowed",
			size, MaxHeaderBytes)
	}
}

// takeSubject makes a Subject among the header fields the subject of a mail that has none: mail libraries know it as a
// header field. Beside a subject it stays, and [Mail.checkHeaders] refuses it.
func (m *Mail) takeSubject() {
	for _, h := range m.fields() {
		if strings.EqualFold(h.Name, subjectField) && m.Subject == "" {
			m.Subject = h.Value
			delete(m.Headers, h.Name)
		}
	}
}

const subjectField = "Subject"

// fields returns the extra header fields, sorted by name. A map has no order, and the same mail should give the
// same message.
func (m *Mail) fields() []compose.Field {
	var fields []compose.Field
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		fields = append(fields, compose.Field{Name: name, Value: m.Headers[name]})
	}
	return fields
}
