// Package placeholder replaces each placeholder {NAME} of a text by its value, and finds those that have no value.
package placeholder

import (
	"fmt"
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// Values are the values of placeholders by their names, which are in upper case and without braces.
type Values map[string]string

// Escaped returns the values with the HTML escapes for < > & and both quotation marks.
func (v Values) Escaped() Values {
	escaped := make(Values, len(v))
	for name, value := range v {
		escaped[name] = html.EscapeString(value)
	}
	return escaped
}

// Template is a text with placeholders. It is parsed once, and written for each set of values.
//
// A placeholder is a {NAME} whose name is known in this exact form: {name} is none. Names have no braces, so in
// {{NAME}} only the inner braces count.
type Template struct {
	// Used has the known names in the text. If it is empty, the text is written as it is, whatever the values.
	Used map[string]bool
	// Unknown has other names of capitals, digits and _ in the text, in their order, each once, and at most
	// [MaxUnknown] of them. They look like placeholders for which nobody gave a value.
	Unknown []string
	// Doubled has those of Used that occur in two pairs of braces, as other template languages write them. The outer
	// pair stays in the result.
	Doubled map[string]bool

	text string
}

// MaxUnknown bounds the memory that a template takes for a text full of braces.
const MaxUnknown = 1000

// Parse finds the placeholders of a text, and the names that look like placeholders but are not known.
func Parse(text string, known map[string]bool) Template {
	t := Template{Used: map[string]bool{}, Doubled: map[string]bool{}, text: text}
	t.find(text, known, map[string]bool{})
	return t
}

// find adds the placeholders in a part of the text. unknown has the unknown names of all parts so far.
func (t *Template) find(part string, known, unknown map[string]bool) {
	for at, end := range places(part) {
		name := part[at+1 : end-1]
		switch {
		case known[name]:
			t.Used[name] = true
			if strings.HasSuffix(part[:at], "{") && strings.HasPrefix(part[end:], "}") {
				t.Doubled[name] = true
			}
		case forgotten(name) && !unknown[name] && len(unknown) < MaxUnknown:
			unknown[name] = true
			t.Unknown = append(t.Unknown, name)
		}
	}
}

// Write returns the text with its placeholders replaced. It makes one pass, so that inserted values are not searched
// again. If several maps have a name, the last one wins; a known name that none of them has stays as it is. The
// result may have at most limit bytes, because a short name with a long value could fill the memory. The error's text
// continues a sentence that begins with the name of the text.
func (t Template) Write(limit int, values ...Values) (string, error) {
	if len(t.Used) == 0 {
		return t.text, nil
	}
	var out strings.Builder
	out.Grow(len(t.text))
	written := 0 // how far the text is written
	for at, end := range places(t.text) {
		value, ok := lookup(t.text[at+1:end-1], values)
		if !ok {
			continue
		}
		out.WriteString(t.text[written:at])
		out.WriteString(value)
		written = end
		if out.Len()+len(t.text)-written > limit {
			return "", fmt.Errorf("is over %d bytes once its placeholders are replaced", limit)
		}
	}
	out.WriteString(t.text[written:])
	return out.String(), nil
}

// lookup returns the value in the last map that has the name.
func lookup(name string, values []Values) (value string, ok bool) {
	for i := len(values) - 1; i >= 0 && !ok; i-- {
		value, ok = values[i][name]
	}
	return value, ok
}

// places yields where the text has braces with no brace inside: the index of the opening brace, and the index after
// the closing one.
func places(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; ; {
			length := strings.IndexByte(s[from:], '}')
			if length < 0 {
				return
			}
			end := from + length + 1
			// Look back only to the last closing brace: each byte is read twice at most.
			if open := strings.LastIndexByte(s[from:end], '{'); open >= 0 && !yield(from+open, end) {
				return
			}
			from = end
		}
	}
}

// forgotten reports whether a name in braces looks like that of a placeholder.
func forgotten(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}
