package mail

import (
	"fmt"
	"strings"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/placeholder"
	"frontdesk/internal/mail/rejection"
)

// Placeholder is a text substitution: every {NAME} in the content becomes Value.
type Placeholder struct {
	Name  string // in upper case, as it stands between the braces
	Value string
}

func (m *Mail) checkPlaceholders(f *faults) {
	names := map[string]bool{}
	subject := m.subject()
	for i, p := range m.Placeholders {
		field := fmt.Sprintf("placeholders[%d].name", i)
		switch {
		case p.Name == "":
			f.add(field, "is missing")
		case strings.ContainsAny(p.Name, "{}"):
			f.add(field, "must not contain a brace")
		case names[p.Name]:
			f.add(field, "%q is given twice (names are compared in upper case)", rejection.Brief(p.Name))
		}
		names[p.Name] = true
		if subject.Used[p.Name] {
			if err := compose.CheckValue(p.Value); err != nil {
				f.add("subject", "%s, as the value of its placeholder %q does", err, rejection.Brief(p.Name))
			}
		}
	}
}

// templates are the texts of a mail with their placeholders.
type templates struct{ subject, html, text placeholder.Template }

// templates parses what a mail says, given what was fetched of it.
func (m *Mail) templates(got *fetched) templates {
	known := m.names()
	return templates{
		subject: m.subject(),
		html:    placeholder.ParseHTML(got.html, known),
		text:    placeholder.Parse(got.text, known),
	}
}

// subject is the subject with its placeholders: none without the switch.
func (m *Mail) subject() placeholder.Template {
	if !m.on(SubjectPlaceholders) {
		return placeholder.Parse(m.Subject, nil)
	}
	return placeholder.Parse(m.Subject, m.names())
}

// names are those of the mail's placeholders.
func (m *Mail) names() map[string]bool {
	names := make(map[string]bool, len(m.Placeholders))
	for _, p := range m.Placeholders {
		names[p.Name] = true
	}
	return names
}

// values are those of the mail's placeholders.
func (m *Mail) values() placeholder.Values {
	values := make(placeholder.Values, len(m.Placeholders))
	for _, p := range m.Placeholders {
		values[p.Name] = p.Value
	}
	return values
}

// warnings tell of placeholders that somebody forgot: those of each field that are not replaced, and those that were
// given and stand nowhere.
func (t templates) warnings(m *Mail) (warnings []string) {
	inSubject, where := m.on(SubjectPlaceholders), "html or text"
	if inSubject {
		where = "html, text or subject"
	}
	warn := func(what string, names []string) {
		if len(names) > 0 {
			warnings = append(warnings, what+": "+listPlaceholders(names))
		}
	}
	const left = " still has placeholders that were not given"
	if inSubject {
		warn("subject"+left, t.subject.Left)
	} else {
		warn("subject has placeholders, which subjectplaceholders in config would replace", t.subject.Left)
	}
	warn("html"+left, t.html.Left)
	warn("text"+left, t.text.Left)
	var unused []string
	for _, p := range m.Placeholders {
		if !t.subject.Used[p.Name] && !t.html.Used[p.Name] && !t.text.Used[p.Name] {
			unused = append(unused, p.Name)
		}
	}
	warn("placeholders stand nowhere in "+where+" (in upper case)", unused)
	return warnings
}

// listPlaceholders writes names as they stand in a text, and of many how many more there are.
func listPlaceholders(names []string) string {
	var listed []string
	for _, name := range names[:min(len(names), maxListed)] {
		listed = append(listed, "{"+rejection.Brief(name)+"}")
	}
	more := len(names) - len(listed)
	switch {
	case len(names) == placeholder.MaxLeft:
		return list(listed) + fmt.Sprintf(" and at least %d more", more)
	case more > 0:
		return list(listed) + fmt.Sprintf(" and %d more", more)
	}
	return list(listed)
}
