package main

import (
	"fmt"
	"strings"
)

// What stands before and after the report in a page.
const (
	opening = "<!-- The figures are written by `make numbers`. -->\n"
	closing = "<!-- So far the figures. -->\n"
)

// replaceSection puts a report between the markers of a page.
func replaceSection(readme, report string) (string, error) {
	before, rest, opened := strings.Cut(readme, opening)
	_, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		return "", fmt.Errorf("it has no place for the figures, between %s and %s",
			strings.TrimSpace(opening), strings.TrimSpace(closing))
	}
	return before + opening + "\n" + report + "\n" + closing + after, nil
}
