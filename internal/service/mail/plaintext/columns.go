package plaintext

import (
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// columns is the set of columns in a table of data in which a cell with text begins. The lowest bit is the first
// column. The set is empty for a layout, whose empty cells are only spacers.
type columns uint64

const (
	mostColumns  = 64 // the bits of columns
	leastColumns = 3  // of a table of data
	leastRows    = 2  // of a table of data, with the same number of columns
	cellNodes    = 64 // nodes of a cell in which text is looked for
)

func (c columns) has(column int) bool { return c>>column&1 == 1 }

// columnsOf distinguishes data from a layout. In data at least two rows have the same number of columns, three or
// more, and rows with text connect all columns with text. Two columns are connected if one row has text in both. A
// layout often has a row, such as a title in the middle, that shares no column with the logo and the link above it.
func columnsOf(table *html.Node) columns {
	var wide [][]gridCell // rows with at least leastColumns
	var widths []int
	// The parser puts every row into a thead, tbody or tfoot. Each of them has its own grid.
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		var g grid
		for row := part.FirstChild; row != nil; row = row.NextSibling {
			if row.DataAtom != atom.Tr {
				continue
			}
			if cells, width := g.reserveRow(row); width >= leastColumns {
				wide, widths = append(wide, cells), append(widths, min(width, mostColumns))
			}
		}
	}
	if len(wide) < leastRows {
		return 0
	}
	var used columns
	var alike [mostColumns + 1]int // number of rows with text, by their number of columns
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

// columnsWithText returns the columns in which a cell of the row begins and has text.
func columnsWithText(row []gridCell) (text columns) {
	for _, p := range row {
		if nodes := cellNodes; p.column < mostColumns && hasText(p.cell, &nodes) {
			text |= 1 << p.column
		}
	}
	return text
}

// connected returns the columns that rows connect with those of the first row. Every round but the last adds a
// column, so there are at most 64 rounds.
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

// hasText reports whether a cell has visible text. It looks at no more than *nodes nodes, so that nested tables take
// no time that grows with their depth. A cell with more nodes counts as one with text.
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
