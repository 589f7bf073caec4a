// Package plaintext makes plain text of HTML, and spends little on a page that was written to cost much.
package plaintext

import (
	"errors"
	"fmt"
	"time"

	"github.com/jaytaylor/html2text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the conversion to plain text. html2text renders what stands inside a heading, bold text or a
// quotation apart and copies it outwards, rulers of a heading's longest line included, so its work grows
// with the square of their depth: without bounds a small hostile page keeps it busy for minutes or fills the
// memory.
const (
	maxConverted    = 1 << 20  // bytes of HTML
	maxNested       = 16       // nests inside each other
	maxWork         = 32 << 20 // bytes that are copied, as cost estimates them: about half a second
	maxPlaintext    = 4 << 20  // bytes of text
	convertedWithin = 2 * time.Second
)

// nests are the elements whose depth html2text pays for.
var nests = map[atom.Atom]bool{
	atom.B: true, atom.Strong: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
}

// FromHTML makes plain text of HTML. An error says why there is none; the mail then goes without.
func FromHTML(source string) (string, error) {
	type result struct {
		text string
		err  error
	}
	// html2text cannot be stopped. One that takes too long is left to end by itself, which its bounds see to.
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
	doc, err := bounded(source)
	if err != nil {
		return "", err
	}
	text, err := html2text.FromHTMLNode(doc)
	if err == nil && len(text) > maxPlaintext {
		return "", errors.New("its text is too long")
	}
	return text, err
}

// bounded parses HTML, and refuses what would cost too much to convert.
func bounded(source string) (*html.Node, error) {
	if len(source) > maxConverted {
		return nil, fmt.Errorf("it is over %d bytes", maxConverted)
	}
	doc, err := html.Parse(newMetered(source))
	if errors.Is(err, errMetered) {
		return nil, err
	}
	if err != nil {
		return nil, errors.New("it is nested over 512 deep") // the parser's only error of its own
	}
	deepest, work := cost(doc, 0)
	if deepest > maxNested {
		return nil, fmt.Errorf("headings, bold text or quotations are nested over %d deep", maxNested)
	}
	if work > maxWork {
		return nil, errors.New("too much of it stands in nested headings, bold text or quotations")
	}
	return doc, nil
}

// cost measures a tree: how many nests stand inside each other at its deepest place, and how many bytes
// html2text will copy for it at the most. html.Parse lets no tree be deeper than 512.
func cost(n *html.Node, depth int) (deepest, work int) {
	const markup = 4 // line feeds, bullets and the like, for every element
	if nests[n.DataAtom] {
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
