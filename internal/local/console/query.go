package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/local/ses"
)

// term is a part of a search, in lower case: what a mail has to have. Without an operator it is a word or a phrase.
type term struct{ operator, value string }

// termText is a word, a phrase in quotes, or either behind an operator. A quote that is left open ends with the search.
var termText = regexp.MustCompile(`(?:([\pL-]+):)?(?:"([^"]*)"?|(\S+))|\S+`)

// kinds are what the operators is and has can ask for.
var kinds = map[string][]string{
	"is":  {"sent", "delivered", "delayed", "suppressed", "rejected", "bounced", "complained"},
	"has": {"attachment", "warning"},
}

// parseQuery takes a search apart. Its error is for the one who searches.
func parseQuery(text string) (terms []term, err error) {
	for _, m := range termText.FindAllStringSubmatch(strings.ToLower(text), -1) {
		t := term{m[1], m[2] + m[3]}
		switch t.operator {
		case "to", "from", "subject", "tag":
		case "is", "has":
			if !slices.Contains(kinds[t.operator], t.value) {
				return nil, fmt.Errorf("%s:%s finds nothing: after %s: stands one of %s", t.operator,
					t.value, t.operator, strings.Join(kinds[t.operator], ", "))
			}
		case "":
			if m[2]+m[3] == "" {
				t.value = strings.Trim(m[0], `"`)
			}
		default:
			if !strings.HasPrefix(t.value, "//") {
				return nil, fmt.Errorf(`there is no search by %s:, but by to:, from:, subject:, tag:, is: and has:; `+
					`in quotes it is text: "%s"`, t.operator, m[0])
			}
			t = term{value: m[0]}
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// has tells whether a mail has what a term asks for.
func (t term) has(m ses.Mail, raw []byte) bool {
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), t.value) }
	switch t.operator {
	case "to":
		return slices.ContainsFunc(m.To, contains)
	case "from":
		return contains(m.From)
	case "subject":
		return contains(m.Subject)
	case "tag":
		for name, value := range m.Tags {
			if contains(name + ":" + value) {
				return true
			}
		}
		return false
	case "is":
		return m.Status == t.value
	}
	if t.operator == "has" && t.value == "attachment" {
		return len(readMessage(raw).Attachments) > 0
	}
	if t.operator == "has" {
		return len(troubles(raw)) > 0
	}
	return slices.ContainsFunc(append([]string{m.Subject, m.From, m.Status}, m.To...), contains) ||
		term{"tag", t.value}.has(m, raw) || contains(searched(raw))
}
