// Package htmlparse parses HTML that anybody may have written, within bounds of time and memory.
package htmlparse

import (
	"errors"

	"golang.org/x/net/html"
)

// Parse parses a page. An error says which bound it exceeds: 128 MiB, one second, or elements that are nested over
// 512 deep.
func Parse(source string, options ...html.ParseOption) (*html.Node, error) {
	doc, err := html.ParseWithOptions(newLimitedReader(source), options...)
	if err != nil && !errors.Is(err, errLimit) {
		err = errors.New("it is nested over 512 deep") // the parser's only error of its own
	}
	return doc, err
}
