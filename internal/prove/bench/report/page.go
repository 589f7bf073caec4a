package main

import (
	"fmt"
	"strings"
)

// Markers around the report in a page.
const (
	opening = "<!-- The figures are written by `make bench/page`. -->\n"
	closing = "<!-- So far the figures. -->\n"
)

// replaceSection replaces what is between the markers of a page by a report.
func replaceSection(page, report string) (string, error) {
	before, rest, opened := strings.Cut(page, opening)
	_, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		return "", fmt.Errorf("it has no place for the figures, between %s and %s",
			strings.TrimSpace(opening), strings.TrimSpace(closing))
	}
	return before + opening + "\n" + report + "\n" + closing + after, nil
}
