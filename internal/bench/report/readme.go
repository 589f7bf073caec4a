package main

import (
	"errors"
	"strings"
)

// What stands before and after the report in a README.
const (
	opening = "<!-- The figures are written by `make numbers`. -->\n"
	closing = "<!-- So far the figures. -->\n"
)

// replaceSection puts a report between the markers of a README.
func replaceSection(readme, report string) (string, error) {
	before, rest, opened := strings.Cut(readme, opening)
	_, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		return "", errors.New("it has no place for the figures, between " + strings.TrimSpace(opening) + " and " + strings.TrimSpace(closing))
	}
	return before + opening + "\n" + report + "\n" + closing + after, nil
}
