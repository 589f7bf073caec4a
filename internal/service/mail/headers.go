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

// checkHeaders refuses header fields that would be there twice: because names differ in case alone, which makes no
// difference (RFC 5322 section 1.2.2), or because another field of the mail writes the same.
func (m *Mail) checkHeaders(f *api.Faults) {
	if n := len(m.Headers); n > MaxHeaders {
		f.AddTo("headers", "are too many: %d; at most %d are allowed", n, MaxHeaders)
		return
	}
	size := 0
	names, elsewhere := map[string]bool{}, m.writtenElsewhere()
	for _, h := range m.fields() {
		field, name := "headers."+api.Brief(h.Name), strings.ToLower(h.Name)
		size += len(h.Name) + len(h.Value)
		if by := elsewhere[name]; by != "" {
			f.AddTo(field, "is given twice, here and %s", by)
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

// writtenElsewhere returns, by their names in lower case, the header fields that fields of the mail write in place of
// headers. A mail gives each in one of the two places.
func (m *Mail) writtenElsewhere() map[string]string {
	written := map[string]string{}
	if m.Subject != "" {
		written[subjectField] = "in subject"
	}
	if m.on(Unsubscribe) {
		written[strings.ToLower(listUnsubscribe)] = "by unsubscribe in config"
		written[strings.ToLower(listUnsubscribePost)] = "by unsubscribe in config"
	}
	if m.on(Unsubscribe) && m.List != "" {
		written[strings.ToLower(listID)] = "in list"
	}
	return written
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

const subjectField = "subject"

// fields returns the extra header fields, sorted by name. A map has no order, and the same mail should give the
// same message.
func (m *Mail) fields() []compose.Field {
	var fields []compose.Field
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		fields = append(fields, compose.Field{Name: name, Value: m.Headers[name]})
	}
	return fields
}
