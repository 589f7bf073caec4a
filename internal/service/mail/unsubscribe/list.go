package unsubscribe

import (
	"errors"
	"strings"
	"time"
)

// maxList is the greatest length of a list's name in bytes.
const maxList = 64

// CheckList checks the name of a list, which begins the value of List-Id. The text of the error continues the name of
// the field.
func CheckList(list string) error {
	foreign := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' }
	if list == "" || len(list) > maxList || strings.ContainsFunc(list, foreign) {
		return errors.New("must be 1 to 64 of the characters a to z, 0 to 9 and -")
	}
	return nil
}

// ParseSince reads a time or a UTC day; "" is the zero time. It cuts parts of a second, because stored times have
// none: otherwise 09:30:00.5 would miss what happened in that second.
func ParseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if since, err := time.Parse(layout, text); err == nil {
			return since.Truncate(time.Second), nil
		}
	}
	return time.Time{}, errors.New("since must be a time such as 2026-11-22T09:30:00Z, or a date such as 2026-11-22")
}
