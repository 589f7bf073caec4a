// Package htmlparse parses HTML from anybody, within bounds of time and memory.
package htmlparse

import (
	"errors"
	"time"

	"golang.org/x/net/html"
)

// Parse parses a page, and gives up at the time until. The error names the bound that the page exceeds: 128 MiB, that
// time, or 512 levels of nested elements.
func Parse(source string, until time.Time, options ...html.ParseOption) (*html.Node, error) {
	doc, err := html.ParseWithOptions(newLimitedReader(source, until), options...)
	if err != nil && !errors.Is(err, errLimit) {
		err = errors.New("it is nested over 512 deep") // the parser's only error of its own
	}
	return doc, err
}
