package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/placeholder"
)

// Placeholder is a text substitution: every {NAME} in the content becomes Value.
type Placeholder struct {
	Name  string // in upper case, as it stands between the braces
	Value string
}

// checkPlaceholders checks the placeholders of the mail and of each recipient.
func (m *Mail) checkPlaceholders(f *api.Faults) {
	subject := m.subject()
	checkPlaceholders(f, "", m.Placeholders, subject)
	for i, placeholders := range m.PerRecipient {
		if len(placeholders) > 0 && !m.on(Separate) {
			f.AddTo(fmt.Sprintf("recipients[%d].placeholders", i), "are only allowed with separate in config")
			continue
		}
		checkPlaceholders(f, fmt.Sprintf("recipients[%d].", i), placeholders, subject)
	}
}

// checkPlaceholders checks one list of placeholders. Of is the prefix of their field names. A value that stands in the
// subject becomes part of a header field, so a line break in it would inject a header.
func checkPlaceholders(f *api.Faults, prefix string, list []Placeholder, subject placeholder.Template) {
	names := map[string]bool{}
	for i, p := range list {
		field := fmt.Sprintf("%splaceholders[%d].name", prefix, i)
		switch {
		case p.Name == "":
			f.AddTo(field, "is missing")
		case strings.ContainsAny(p.Name, "{}"):
			f.AddTo(field, "must not contain a brace")
		case names[p.Name]:
			f.AddTo(field, "%q is given twice (names are compared in upper case)", api.Brief(p.Name))
		}
		names[p.Name] = true
		if subject.Used[p.Name] {
			if err := compose.CheckValue(p.Value); err != nil {
				f.AddTo(prefix+"subject", "%s, as the value of its placeholder %q does", err, api.Brief(p.Name))
			}
		}
	}
}

// names returns the names of all placeholders, of the mail and of its recipients.
func (m *Mail) names() map[string]bool {
	names := make(map[string]bool, len(m.Placeholders))
	for _, list := range append(slices.Clone(m.PerRecipient), m.Placeholders) {
		for _, p := range list {
			names[p.Name] = true
		}
	}
	return names
}
