// Package plaintext converts HTML to plain text. Anybody may have written the HTML, so each step of the conversion is
// linear or has a bound, and the conversion ends in time.
package plaintext

import (
	"fmt"
	"time"

	"frontdesk/internal/base/htmlparse"

	"golang.org/x/net/html"
)

// Bounds of the conversion. Those of the parser are in package htmlparse.
const (
	maxConverted    = 1 << 20         // bytes of HTML that are parsed into a tree
	maxPlaintext    = 4 << 20         // bytes of text
	convertedWithin = 2 * time.Second // also for the text of tokens, after the conversion has failed
)

// FromHTML returns the plain text of HTML, or "" if it has none. If the HTML exceeds a bound, the error says which.
// The text is then made from its tokens, without regard to style; it is "" if that exceeds a bound as well.
func FromHTML(source string) (string, error) {
	text, err := convert(source, newEffort(convertedWithin))
	if err != nil && err != errTooLong {
		text, _ = fromTokens(source, newEffort(convertedWithin))
	}
	return text, err
}

// convert parses HTML and shapes its tree. It turns a panic of the parser into an error.
func convert(source string, e *effort) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", fmt.Errorf("the converter failed: %v", p)
		}
	}()
	doc, err := parse(source, e.until)
	if err != nil {
		return "", err
	}
	return shape(doc, e)
}

// parse parses HTML. It returns an error for HTML that would cost too much to parse.
func parse(source string, until time.Time) (*html.Node, error) {
	if len(source) > maxConverted {
		source = withoutData(source)
	}
	if len(source) > maxConverted {
		return nil, fmt.Errorf("it is over %d bytes", maxConverted)
	}
	return htmlparse.Parse(source, until)
}
