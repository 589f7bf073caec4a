package plaintext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// html2text draws a line as long as the heading. A heading outside of these widths gets none: the line would be a
// mere mark, or longer than a line of text.
const (
	narrowestHeading = 3 // characters
	widestHeading    = 72
)

// openHeading begins a heading, and reports whether it could: not inside another heading or a quotation. The text
// before goes to the tree, so that buf has only the heading.
func (w *writer) openHeading() bool {
	if w.heading || w.quotes.next > 0 {
		return false
	}
	w.settle(0)
	w.heading = true
	w.flushFor(2)
	return true
}

// flushFor moves buf to the tree, and adds line breaks before the next text, unless the tree is empty.
func (w *writer) flushFor(feeds int) {
	if w.flush(); w.root.LastChild != nil {
		for range feeds {
			w.root.AppendChild(newBreak())
		}
	}
	w.quotes, w.feeds = quotation{}, 0
}

// closeHeading moves the heading from buf to the tree as an element, to which html2text adds lines. The targets of
// its links follow below it, because they would make these lines too long.
func (w *writer) closeHeading(level atom.Atom) {
	w.endLine()
	w.heading = false
	lines, widest := strings.Split(string(w.buf), "\n"), 0
	for i, line := range lines {
		widest = max(widest, utf8.RuneCountInString(line))
		lines[i] = strings.TrimSpace(line) // an item's indentation has no place in a heading
	}
	if widest >= narrowestHeading && widest <= widestHeading {
		heading, pre := &html.Node{Type: html.ElementNode, Data: level.String(), DataAtom: level}, newPre()
		pre.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Join(lines, "\n")})
		heading.AppendChild(pre)
		w.root.AppendChild(heading)
		w.inTree += len(w.buf)
		w.buf = w.buf[:0]
		w.flushes++
		w.feeds = 0
	}
	for _, href := range w.hrefs {
		w.feed(1)
		w.word("( "+href+" )", '(')
	}
	w.feed(1)
	w.hrefs = w.hrefs[:0]
}
