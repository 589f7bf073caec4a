// Package plaintext converts HTML to plain text. Anybody may have written the HTML, so the conversion has bounds of
// time and memory.
package plaintext

import (
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/htmlparse"

	"github.com/jaytaylor/html2text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the conversion. html2text renders the content of a heading, of bold text or of a quotation separately,
// and copies the result into the text around it. It also draws a line as long as the longest line of a heading. So
// its work grows with the square of their depth: without bounds a small hostile page could keep it busy for minutes
// or fill the memory.
const (
	maxConverted    = 1 << 20  // bytes of HTML
	maxDepth        = 16       // nested elements of copied
	maxWork         = 32 << 20 // copied bytes, as cost estimates them: about half a second
	maxPlaintext    = 4 << 20  // bytes of text
	convertedWithin = 2 * time.Second
)

// copied are the elements whose content html2text renders separately and copies.
var copied = map[atom.Atom]bool{
	atom.B: true, atom.Strong: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

var errTooLong = fmt.Errorf("its text is over %d bytes", maxPlaintext)

// FromHTML returns the plain text of HTML, or "" if it has none. If the HTML exceeds a bound, the error says which.
// The text is then made from its tokens, without regard to style; it is "" if that is too long as well.
func FromHTML(source string) (string, error) {
	text, err := convertWithin(source)
	if err != nil && err != errTooLong {
		text, _ = fromTokens(source)
	}
	return text, err
}

// convertWithin is convert with a limit of time. It turns a panic of the converter into an error.
func convertWithin(source string) (string, error) {
	type result struct {
		text string
		err  error
	}
	// html2text cannot be stopped. A conversion that takes too long goes on in its goroutine, and its bounds make
	// it end.
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("the converter failed: %v", p)}
			}
		}()
		text, err := convert(source)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(convertedWithin):
		return "", fmt.Errorf("it took over %s", convertedWithin)
	}
}

// convert parses HTML, shapes its tree and renders it.
func convert(source string) (string, error) {
	doc, err := parse(source)
	if err != nil {
		return "", err
	}
	text, err := html2text.FromHTMLNode(shape(doc))
	if err == nil && len(text) > maxPlaintext {
		return "", errTooLong
	}
	return text, err
}

// parse parses HTML. It returns an error for HTML that would cost too much to convert.
func parse(source string) (*html.Node, error) {
	if len(source) > maxConverted {
		source = withoutData(source)
	}
	if len(source) > maxConverted {
		return nil, fmt.Errorf("it is over %d bytes", maxConverted)
	}
	doc, err := htmlparse.Parse(source)
	if err != nil {
		return nil, err
	}
	deepest, work := cost(doc, 0)
	if deepest > maxDepth {
		return nil, fmt.Errorf("headings, bold text or quotations are nested over %d deep", maxDepth)
	}
	if work > maxWork {
		return nil, errors.New("too much of it stands in nested headings, bold text or quotations")
	}
	return doc, nil
}

// cost measures a tree. deepest is the greatest number of nested elements of copied. work is an upper bound for the
// bytes that html2text copies: each byte counts with the square of its depth. The recursion is safe, because
// html.Parse allows no tree deeper than 512.
func cost(n *html.Node, depth int) (deepest, work int) {
	const markup = 4 // bytes for each element, such as line feeds and bullets
	if copied[n.DataAtom] {
		depth++
	}
	size := markup
	if n.Type == html.TextNode {
		size += len(n.Data)
	}
	for _, a := range n.Attr {
		if a.Key == "href" || a.Key == "alt" {
			size += len(a.Val)
		}
	}
	deepest, work = depth, size*(1+depth)*(1+depth)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		d, w := cost(child, depth)
		deepest, work = max(deepest, d), work+w
	}
	return deepest, work
}
