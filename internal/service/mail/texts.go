package mail

import (
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/placeholder"
)

// templates are the texts of a mail with their placeholders.
type templates struct{ subject, html, text placeholder.Template }

// templates parses the texts of a mail.
func (m *Mail) templates(html, text string) templates {
	known := m.names()
	return templates{
		subject: m.subject(),
		html:    placeholder.ParseHTML(html, known),
		text:    placeholder.Parse(text, known),
	}
}

// subject parses the subject. Without [SubjectPlaceholders] it has no placeholders.
func (m *Mail) subject() placeholder.Template {
	if !m.on(SubjectPlaceholders) {
		return placeholder.Parse(m.Subject, nil)
	}
	return placeholder.Parse(m.Subject, m.names())
}

// values are the values of placeholders. Those for the HTML may be escaped.
type values struct{ inText, inHTML placeholder.Values }

// values returns the values of the mail's placeholders, or of one recipient's.
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

// texts are the texts of a mail with their placeholders replaced.
type texts struct{ subject, html, text string }

// parts says which texts a mail has. A text of white space counts as none.
type parts struct{ html, text bool }

// parts tells which texts are there. A text of white space alone is not.
func (t texts) parts() parts { return parts{html: !blank(t.html), text: !blank(t.text)} }

// write replaces the placeholders. If several values share a name, the last one wins. The error says which text is
// longer than the limit, in bytes.
func (t templates) write(limit int, all ...values) (texts, error) {
	var inText, inHTML []placeholder.Values
	for _, v := range all {
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

// warnings reports what the client may have forgotten: placeholders that no value replaces, and values that no
// text uses.
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
	const unfilled = " still has placeholders that were not given"
	if inSubject {
		warn("subject"+unfilled, t.subject.Unknown)
	} else {
		warn("subject has placeholders, which subjectplaceholders in config would replace", t.subject.Unknown)
	}
	warn("html"+unfilled, t.html.Unknown)
	warn("text"+unfilled, t.text.Unknown)
	const doubled = " has placeholders in two pairs of braces, of which the outer one stays"
	warn("subject"+doubled, inBraces(t.subject.Doubled))
	warn("html"+doubled, inBraces(t.html.Doubled))
	warn("text"+doubled, inBraces(t.text.Doubled))
	var unused []string
	seen := map[string]bool{}
	for _, list := range append([][]Placeholder{m.Placeholders}, m.PerRecipient...) {
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

// inBraces puts braces around names, because a doubled placeholder leaves them in the text.
func inBraces(names map[string]bool) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, "{"+name+"}")
	}
	return list
}

// uses reports whether any text has the placeholder.
func (t templates) uses(name string) bool {
	return t.subject.Used[name] || t.html.Used[name] || t.text.Used[name]
}

// listPlaceholders lists names in braces.
func listPlaceholders(names []string) string {
	var braced []string
	for _, name := range names {
		braced = append(braced, "{"+api.Brief(name)+"}")
	}
	return listSome(braced, len(names) == placeholder.MaxUnknown)
}
