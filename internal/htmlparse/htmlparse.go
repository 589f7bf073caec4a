// Package htmlparse parses HTML from anybody, within bounds of time and memory.
package htmlparse

import (
	"errors"

	"golang.org/x/net/html"
)

// Parse parses a page. The error names the bound that the page exceeds: 128 MiB, one second, or 512 levels of
// nested elements.
func Parse(source string, options ...html.ParseOption) (*html.Node, error) {
	doc, err := html.ParseWithOptions(newLimitedReader(source), options...)
	if err != nil && !errors.Is(err, errLimit) {
		err = errors.New("it is nested over 512 deep") // the parser's only error of its own
	}
	return doc, err
}
