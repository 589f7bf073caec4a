package plaintext

import (
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// columns are those columns of a table of data in which a cell with text begins, the first in the lowest bit. A layout
// has none: its empty cells are spacers.
type columns uint64

const (
	mostColumns  = 64
	leastColumns = 3 // of data
	leastRows    = 2 // of data, with the same number of columns
	cellNodes    = 64
)

func (c columns) has(column int) bool { return c>>column&1 == 1 }

// columnsOf tells data from a layout: at least two rows have the same three or more columns, and some row has text in
// each column that has any.
func columnsOf(table *html.Node) columns {
	var wide []*html.Node // rows
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		for row := part.FirstChild; row != nil; row = row.NextSibling {
			if row.DataAtom == atom.Tr && width(row) >= leastColumns {
				wide = append(wide, row)
			}
		}
	}
	if len(wide) < leastRows {
		return 0
	}
	var used columns
	var alike [mostColumns + 1]int // rows with text, by their number of columns
	var texts []columns
	for _, row := range wide {
		if text := columnsWithText(row); text != 0 {
			alike[min(width(row), mostColumns)]++
			texts = append(texts, text)
			used |= text
		}
	}
	if bits.OnesCount64(uint64(used)) < leastColumns || slices.Max(alike[:]) < leastRows ||
		!slices.Contains(texts, used) {
		return 0
	}
	return used
}

// width is how many columns a row has.
func width(row *html.Node) (columns int) {
	for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
		if isCell(cell) {
			columns += span(cell)
		}
	}
	return columns
}

func isCell(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }

func columnsWithText(row *html.Node) (text columns) {
	column := 0
	for cell := row.FirstChild; cell != nil && column < mostColumns; cell = cell.NextSibling {
		if !isCell(cell) {
			continue
		}
		if nodes := cellNodes; hasText(cell, &nodes) {
			text |= 1 << column
		}
		column += span(cell)
	}
	return text
}

// span is how many columns a cell takes.
func span(cell *html.Node) int {
	if n, ok := number(attribute(cell, "colspan")); ok && n > 0 {
		return min(n, mostColumns)
	}
	return 1
}

// hasText says whether a cell has text. It looks at so many nodes, so that tables inside each other take no time that
// grows with their depth; a cell of more has text.
func hasText(n *html.Node, nodes *int) bool {
	text := ""
	switch {
	case n.Type == html.TextNode:
		text = n.Data
	case n.DataAtom == atom.Img || n.DataAtom == atom.Area:
		text = attribute(n, "alt")
	}
	*nodes--
	if *nodes < 0 || strings.ContainsFunc(text, func(r rune) bool { return kindOf(r) == visible }) {
		return true
	}
	for child := n.FirstChild; child != nil && !unseen[n.DataAtom]; child = child.NextSibling {
		if hasText(child, nodes) {
			return true
		}
	}
	return false
}
