// Package placeholder replaces the placeholders of a text, each {NAME} by its value, and finds those without one.
package placeholder

import (
	"fmt"
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// Values are what stands for placeholders, by their names: the names in upper case, without braces.
type Values map[string]string

// Escaped are the values with HTML's escapes for < > & and both quotation marks.
func (v Values) Escaped() Values {
	escaped := make(Values, len(v))
	for name, value := range v {
		escaped[name] = html.EscapeString(value)
	}
	return escaped
}

// Template is a text with placeholders. It is parsed once, and written as often as there are values for it.
//
// A placeholder is a {NAME} whose name is known and stands so between the braces: {name} is none. Names have no braces,
// so that in {{NAME}} the inner ones count.
type Template struct {
	// Used are the known names that stand in the text. Without any it is written as it is, whatever the values.
	Used map[string]bool
	// Left are other names of capitals, digits and _ that stand in the text, in its order, each once, and at most
	// [MaxLeft] of them: placeholders, as it seems, that nobody gave.
	Left []string
	// Doubled are those of Used that stand in two pairs of braces somewhere, as other template languages have them. The
	// outer pair stays.
	Doubled map[string]bool

	text string
}

// MaxLeft bounds what a template keeps of a text that is full of braces.
const MaxLeft = 1000

// Parse finds the placeholders of a text: those of known, and those that are left.
func Parse(text string, known map[string]bool) Template {
	t := Template{Used: map[string]bool{}, Doubled: map[string]bool{}, text: text}
	t.find(text, known, map[string]bool{})
	return t
}

// find adds the placeholders of a part of the text, given the names that are known and those that are left in others.
func (t *Template) find(part string, known, left map[string]bool) {
	for at, end := range places(part) {
		name := part[at+1 : end-1]
		switch {
		case known[name]:
			t.Used[name] = true
			if strings.HasSuffix(part[:at], "{") && strings.HasPrefix(part[end:], "}") {
				t.Doubled[name] = true
			}
		case forgotten(name) && !left[name] && len(left) < MaxLeft:
			left[name] = true
			t.Left = append(t.Left, name)
		}
	}
}

// Write is the text with its placeholders replaced, in one pass: what was inserted is not searched again. Of several
// maps that have a name the last one counts; a known name that none has stays. The result may have at most limit
// bytes: a short name of a long value must not fill the memory. The error reads on from what the text is.
func (t Template) Write(limit int, values ...Values) (string, error) {
	if len(t.Used) == 0 {
		return t.text, nil
	}
	var out strings.Builder
	out.Grow(len(t.text))
	written := 0 // of the text
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

func lookup(name string, values []Values) (value string, ok bool) {
	for i := len(values) - 1; i >= 0 && !ok; i-- {
		value, ok = values[i][name]
	}
	return value, ok
}

// places are where a text has something without a brace in braces, by the indices of the opening one and behind the
// closing one.
func places(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; ; {
			length := strings.IndexByte(s[from:], '}')
			if length < 0 {
				return
			}
			end := from + length + 1
			if open := strings.LastIndexByte(s[from:end], '{'); open >= 0 && !yield(from+open, end) {
				return
			}
			from = end
		}
	}
}

// forgotten reports whether a name in braces looks as one of a placeholder.
func forgotten(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}
