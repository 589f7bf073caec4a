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

// columnsOf tells data from a layout: at least two rows have the same three or more columns, and the columns with text
// are connected, as those are in which one row has text. In a layout, a row such as a title in the middle has no column
// in common with the logo and the link above.
func columnsOf(table *html.Node) columns {
	var wide [][]place // rows
	var widths []int
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		var g grid
		for row := part.FirstChild; row != nil; row = row.NextSibling {
			if row.DataAtom != atom.Tr {
				continue
			}
			if cells, width := g.placeRow(row); width >= leastColumns {
				wide, widths = append(wide, cells), append(widths, min(width, mostColumns))
			}
		}
	}
	if len(wide) < leastRows {
		return 0
	}
	var used columns
	var alike [mostColumns + 1]int // rows with text, by their number of columns
	var texts []columns
	for i, row := range wide {
		if text := columnsWithText(row); text != 0 {
			alike[widths[i]]++
			texts = append(texts, text)
			used |= text
		}
	}
	if bits.OnesCount64(uint64(used)) < leastColumns || slices.Max(alike[:]) < leastRows || connected(texts) != used {
		return 0
	}
	return used
}

func isCell(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }

func columnsWithText(row []place) (text columns) {
	for _, p := range row {
		if nodes := cellNodes; p.column < mostColumns && hasText(p.cell, &nodes) {
			text |= 1 << p.column
		}
	}
	return text
}

// connected are the columns that rows connect with those of the first row. It takes at most a round for each column.
func connected(rows []columns) columns {
	for all := rows[0]; ; {
		before := all
		for _, row := range rows {
			if row&all != 0 {
				all |= row
			}
		}
		if all == before {
			return all
		}
	}
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
