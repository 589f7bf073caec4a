package plaintext

import (
	"math/bits"
	"slices"
	"strconv"
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
	var alike [mostColumns + 1]int // rows with text, by their number of columns
	var used columns
	var rows []columns
	for part := range table.ChildNodes() {
		for row := range part.ChildNodes() {
			if row.DataAtom != atom.Tr {
				continue
			}
			text, width := columnsOfRow(row)
			if width > mostColumns {
				return 0
			}
			if text != 0 {
				alike[width]++
				rows = append(rows, text)
			}
			used |= text
		}
	}
	if bits.OnesCount64(uint64(used)) >= leastColumns && slices.Max(alike[leastColumns:]) >= leastRows &&
		slices.Contains(rows, used) {
		return used
	}
	return 0
}

func columnsOfRow(row *html.Node) (text columns, width int) {
	for cell := range row.ChildNodes() {
		if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
			continue
		}
		if nodes := cellNodes; width < mostColumns && hasText(cell, &nodes) {
			text |= 1 << width
		}
		width += span(cell)
	}
	return text, width
}

// span is how many columns a cell takes.
func span(cell *html.Node) int {
	if n, err := strconv.Atoi(attribute(cell, "colspan")); err == nil && n > 0 {
		return min(n, mostColumns+1)
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
	if *nodes--; *nodes < 0 || strings.ContainsFunc(text, func(r rune) bool { return kindOf(r) == visible }) {
		return true
	}
	for child := n.FirstChild; child != nil && !unseen[n.DataAtom]; child = child.NextSibling {
		if hasText(child, nodes) {
			return true
		}
	}
	return false
}
