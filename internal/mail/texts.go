package mail

import (
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/placeholder"
)

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

// parts are which texts a mail has: one of white space is none.
type parts struct{ html, text bool }

func (t texts) parts() parts { return parts{html: !blank(t.html), text: !blank(t.text)} }

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
	const doubled = " has placeholders in two pairs of braces, of which the outer one stays"
	warn("subject"+doubled, inBraces(t.subject.Doubled))
	warn("html"+doubled, inBraces(t.html.Doubled))
	warn("text"+doubled, inBraces(t.text.Doubled))
	var unused []string
	seen := map[string]bool{}
	for _, list := range append([][]Placeholder{m.Placeholders}, m.Own...) {
		for _, p := range list {
			ours := p.Name == addressPlaceholder && m.on(Unsubscribe)
			if !t.uses(p.Name) && !seen[p.Name] && !ours {
				unused = append(unused, p.Name)
			}
			seen[p.Name] = true
		}
	}
	warn("placeholders stand nowhere in "+where+" (in upper case)", unused)
	return warnings
}

// inBraces are names as they stand in the inner braces of two pairs.
func inBraces(names map[string]bool) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, "{"+name+"}")
	}
	return list
}

// uses reports whether the placeholder of a name stands anywhere.
func (t templates) uses(name string) bool {
	return t.subject.Used[name] || t.html.Used[name] || t.text.Used[name]
}

// listPlaceholders writes names as they stand in a text, and of many how many more there are.
func listPlaceholders(names []string) string {
	var listed []string
	for _, name := range names[:min(len(names), maxListed)] {
		listed = append(listed, "{"+api.Brief(name)+"}")
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
