package mail

import (
	"fmt"
	"slices"
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
	subject := m.subject()
	checkPlaceholders(f, "", m.Placeholders, subject)
	for i, own := range m.Own {
		if len(own) > 0 && !m.on(Separate) {
			f.add(fmt.Sprintf("recipients[%d].placeholders", i), "are for mails with separate in config alone")
			continue
		}
		checkPlaceholders(f, fmt.Sprintf("recipients[%d].", i), own, subject)
	}
}

// checkPlaceholders holds a list of placeholders against the rules. Of is what their fields begin with.
func checkPlaceholders(f *faults, of string, list []Placeholder, subject placeholder.Template) {
	names := map[string]bool{}
	for i, p := range list {
		field := fmt.Sprintf("%splaceholders[%d].name", of, i)
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
				f.add(of+"subject", "%s, as the value of its placeholder %q does", err, rejection.Brief(p.Name))
			}
		}
	}
}

// templates are the texts of a mail with their placeholders.
type templates struct{ subject, html, text placeholder.Template }

// templates parses what a mail says, given its texts.
func (m *Mail) templates(html, text string) templates {
	known := m.names()
	return templates{
		subject: m.subject(),
		html:    placeholder.ParseHTML(html, known),
		text:    placeholder.Parse(text, known),
	}
}

// subject is the subject with its placeholders: none without the switch.
func (m *Mail) subject() placeholder.Template {
	if !m.on(SubjectPlaceholders) {
		return placeholder.Parse(m.Subject, nil)
	}
	return placeholder.Parse(m.Subject, m.names())
}

// names are those of the placeholders of the mail and of its recipients.
func (m *Mail) names() map[string]bool {
	names := make(map[string]bool, len(m.Placeholders))
	for _, list := range append(slices.Clone(m.Own), m.Placeholders) {
		for _, p := range list {
			names[p.Name] = true
		}
	}
	return names
}

// values are what stands for placeholders.
type values struct{ inText, inHTML placeholder.Values }

// values are those of some placeholders of the mail, or of a recipient.
func (m *Mail) values(list []Placeholder) values {
	v := make(placeholder.Values, len(list))
	for _, p := range list {
		v[p.Name] = p.Value
	}
	if m.on(EscapePlaceholders) {
		return values{v, v.Escaped()}
	}
	return values{v, v}
}

// texts are what a mail says, its placeholders replaced.
type texts struct{ subject, html, text string }

// write replaces placeholders. Of several values that have a name the last ones count. No text may have more bytes than
// the limit.
func (t templates) write(limit int, of ...values) (texts, error) {
	var inText, inHTML []placeholder.Values
	for _, v := range of {
		inText, inHTML = append(inText, v.inText), append(inHTML, v.inHTML)
	}
	subject, err := t.subject.Write(MaxHeaderBytes, inText...)
	if err != nil {
		return texts{}, fmt.Errorf("subject %w", err)
	}
	html, err := t.html.Write(limit, inHTML...)
	if err != nil {
		return texts{}, fmt.Errorf("html %w", err)
	}
	text, err := t.text.Write(limit, inText...)
	if err != nil {
		return texts{}, fmt.Errorf("text %w", err)
	}
	return texts{subject: subject, html: html, text: text}, nil
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
	seen := map[string]bool{}
	for _, list := range append([][]Placeholder{m.Placeholders}, m.Own...) {
		for _, p := range list {
			if !t.uses(p.Name) && !seen[p.Name] {
				unused = append(unused, p.Name)
			}
			seen[p.Name] = true
		}
	}
	warn("placeholders stand nowhere in "+where+" (in upper case)", unused)
	return warnings
}

// uses reports whether the placeholder of a name stands anywhere.
func (t templates) uses(name string) bool {
	return t.subject.Used[name] || t.html.Used[name] || t.text.Used[name]
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
