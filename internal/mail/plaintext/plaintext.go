// Package plaintext makes plain text of HTML, within bounds of time and memory, as anybody may have written the HTML.
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

// Bounds of the conversion. html2text renders what stands inside a heading, bold text or a quotation by itself and
// copies it into what is around, with a line under a heading that is as long as its longest line. So its work grows
// with the square of their depth: without bounds a small hostile page keeps it busy for minutes or fills the memory.
const (
	maxConverted    = 1 << 20  // bytes of HTML
	maxDepth        = 16       // elements of copied inside each other
	maxWork         = 32 << 20 // bytes that are copied, as cost estimates them: about half a second
	maxPlaintext    = 4 << 20  // bytes of text
	convertedWithin = 2 * time.Second
)

// copied are the elements whose content html2text copies.
var copied = map[atom.Atom]bool{
	atom.B: true, atom.Strong: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

var errTooLong = fmt.Errorf("its text is over %d bytes", maxPlaintext)

// FromHTML makes plain text of HTML, "" if it has none. An error says that the HTML is over the bounds, and which. The
// text is then that of its tokens without regard to style, or "" if that is too long as well.
func FromHTML(source string) (string, error) {
	text, err := convertWithin(source)
	if err != nil && err != errTooLong {
		text, _ = fromTokens(source)
	}
	return text, err
}

func convertWithin(source string) (string, error) {
	type result struct {
		text string
		err  error
	}
	// html2text cannot be stopped. A conversion that takes too long is left to end by itself: its bounds see to that.
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

// parse parses HTML, and refuses what would cost too much to convert.
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

// cost measures a tree: how many elements of copied stand inside each other at its deepest place, and how many bytes
// html2text will copy for it at the most. html.Parse lets no tree be deeper than 512.
func cost(n *html.Node, depth int) (deepest, work int) {
	const markup = 4 // line feeds, bullets and the like, for every element
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
