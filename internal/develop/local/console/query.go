package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/develop/local/ses"
)

// term is one condition of a search, in lower case. Without an operator it is a word or a phrase.
type term struct {
	not             bool // the term is to find nothing
	operator, value string
	time            time.Time // the value of after and before
}

// termText matches a word, a phrase in quotes, or either after an operator, all of them also behind a minus. A quote
// that is not closed ends with the search.
var termText = regexp.MustCompile(`(-?)(?:(\pL[\pL-]*):)?(?:"([^"]*)"?|(\S+))|\S+`)

// kinds are the values of the operators is and has.
var kinds = map[string][]string{
	"is":  {"sent", "delivered", "delayed", "suppressed", "rejected", "bounced", "complained"},
	"has": {"attachment", "warning"},
}

// parseQuery splits a search into terms. Days and times are those of a zone. Its error is meant for the person who
// searches.
func parseQuery(text string, zone *time.Location) (terms []term, err error) {
	for _, m := range termText.FindAllStringSubmatch(strings.ToLower(text), -1) {
		// The third group is a phrase, the fourth a word; at most one of them is there.
		t := term{not: m[1] != "", operator: m[2], value: m[3] + m[4]}
		switch t.operator {
		// These take any text as their value.
		case "to", "from", "subject", "tag":
		case "is", "has":
			if !slices.Contains(kinds[t.operator], t.value) {
				return nil, fmt.Errorf("%s:%s finds nothing: after %s: stands one of %s", t.operator,
					t.value, t.operator, strings.Join(kinds[t.operator], ", "))
			}
		case "after", "before":
			t.time, err = parseTime(t.value, zone)
			if err != nil {
				return nil, fmt.Errorf("%[1]s:%[2]s finds nothing: it needs a day, as in %[1]s:2026-11-26, or "+
					"a day and a time, as in %[1]s:2026-11-26T10:15", t.operator, t.value)
			}
		case "":
			switch {
			// An empty phrase is in every text, so it finds all mails. Behind a minus, somebody is about to type it.
			case t.value == "":
				t.not = false
			// Two of them are how an option of a command begins.
			case t.not && t.value[0] == '-':
				t = term{value: m[0]}
			}
		default:
			text := m[0][len(m[1]):]
			if isMistyped(t.operator) {
				return nil, fmt.Errorf("there is no search by %s:, but by to:, from:, subject:, tag:, is:, has:, "+
					`after: and before:; in quotes it is text: "%s"`, t.operator, text)
			}
			t = term{not: t.not, value: text}
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// parseTime reads a day, which is its first moment, or a day and a time. The T of RFC 3339 may be a space.
func parseTime(value string, zone *time.Location) (at time.Time, err error) {
	value = strings.ToUpper(strings.Replace(value, " ", "t", 1))
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		at, err = time.ParseInLocation(layout, value, zone)
		if err == nil {
			break
		}
	}
	return at, err
}

// foreign are operators of other mailboxes. Whoever writes one does not look for that text.
var foreign = []string{"cc", "bcc", "tags", "label", "filename", "older", "newer", "message-id", "reply-to"}

// isMistyped reports whether a word before a colon was meant as an operator. Any other word is text: "Re:",
// "https:", "note:".
func isMistyped(word string) bool {
	return slices.Contains(foreign, word) || isNear(word, "from") || isNear(word, "subject")
}

// isNear reports whether a single slip turns one word into the other: a letter left out, added or changed, or two
// letters swapped.
func isNear(word, other string) bool {
	if len(word) > len(other) {
		word, other = other, word
	}
	// i counts the letters with which both words begin.
	i := 0
	for i < len(word) && word[i] == other[i] {
		i++
	}
	if len(word) < len(other) {
		return word[i:] == other[i+1:]
	}
	if i == len(word) || word[i+1:] == other[i+1:] {
		return true
	}
	return i+1 < len(word) && word[i] == other[i+1] && word[i+1] == other[i] && word[i+2:] == other[i+2:]
}

// searchable is a mail with everything that a search can ask for. Each part is computed at most once, when it
// is needed.
type searchable struct {
	ses.Mail
	warnings []string // of the API
	digest   func() digest
	text     func() string // see searched
}

// has reports whether a mail has what a term names, with or without a minus.
func (m searchable) has(t term) bool {
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), t.value) }
	// A person is found by the address, and by the name that the message gives.
	isPerson := func(address string) bool {
		return contains(address) || contains(m.digest().People[strings.ToLower(address)])
	}
	isTag := func() bool {
		for name, value := range m.Tags {
			if contains(name + ":" + value) {
				return true
			}
		}
		return false
	}
	switch t.operator {
	case "to":
		return slices.ContainsFunc(m.To, isPerson)
	case "from":
		return contains(m.From)
	case "subject":
		return contains(m.Subject)
	case "tag":
		return isTag()
	case "is":
		return m.Status == t.value
	case "after":
		return !m.ReceivedAt.Before(t.time)
	case "before":
		return m.ReceivedAt.Before(t.time)
	}
	switch {
	case t.operator == "has" && t.value == "attachment":
		return m.digest().Files > 0
	case t.operator == "has":
		return len(m.warnings)+len(m.digest().Troubles) > 0
	}
	return slices.ContainsFunc(append([]string{m.Subject, m.From, m.Status}, m.To...), contains) || isTag() ||
		contains(m.text())
}
