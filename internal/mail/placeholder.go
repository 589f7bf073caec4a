package mail

import (
	"fmt"
	"strings"

	"frontdesk/internal/mail/rejection"
)

// Placeholder is a text substitution: every {NAME} in the content becomes Value.
type Placeholder struct {
	Name  string // in upper case, as it stands between the braces
	Value string
}

func (m *Mail) checkPlaceholders(f *faults) {
	names := map[string]bool{}
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
	}
}

// replacer substitutes placeholders in one pass: what was inserted is not searched again.
type replacer map[string]string

func newReplacer(placeholders []Placeholder) replacer {
	r := make(replacer, len(placeholders))
	for _, p := range placeholders {
		r[p.Name] = p.Value
	}
	return r
}

// replace substitutes every {NAME} in s. Names are compared as they stand, so {name} stays. The result may
// be at most [MaxSize] bytes: a short name of a long value must not fill the memory.
func (r replacer) replace(s string) (string, error) {
	if len(r) == 0 || !strings.Contains(s, "{") {
		return s, nil
	}
	var out strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			break
		}
		// A brace that another one opens before it closes begins no name: names have no braces.
		length := strings.IndexAny(s[open+1:], "{}")
		if length < 0 {
			break
		}
		end := open + 1 + length
		value, known := r[s[open+1:end]]
		if known && s[end] == '}' {
			out.WriteString(s[:open])
			out.WriteString(value)
			s = s[end+1:]
		} else {
			out.WriteString(s[:end])
			s = s[end:]
		}
		if out.Len()+len(s) > MaxSize {
			return "", fmt.Errorf("is over %d bytes once its placeholders are replaced", MaxSize)
		}
	}
	out.WriteString(s)
	return out.String(), nil
}
