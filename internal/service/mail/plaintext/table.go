package plaintext

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table is the table whose cells are being written.
type table struct {
	columns
	grid
	column int // of the next cell
}

// tableOf writes a table. The state of the table around it comes back at its end.
func (s *shaper) tableOf(n *html.Node) {
	outer := s.table
	s.table = table{columns: columnsOf(n)}
	s.parts(n)
	s.table = outer
}

// parts writes the parts of a table in the order in which browsers draw them, wherever they are in the HTML: captions,
// the first thead, the rows, the first tfoot (CSS 2.2, sections 17.2 and 17.4.1).
func (s *shaper) parts(table *html.Node) {
	head, foot := firstChild(table, atom.Thead), firstChild(table, atom.Tfoot)
	rank := func(part *html.Node) int {
		switch {
		case part.DataAtom == atom.Caption:
			return 0
		case part == head:
			return 1
		case part == foot:
			return 3
		}
		return 2
	}
	for wanted := range 4 {
		for part := table.FirstChild; part != nil && !s.stop(); part = part.NextSibling {
			if rank(part) == wanted {
				s.node(part)
			}
		}
	}
}

// firstChild returns the first child of a kind, or nil.
func firstChild(n *html.Node, kind atom.Atom) *html.Node {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == kind {
			return child
		}
	}
	return nil
}

// tableRow writes the cells of a row, each on a line of its own. If they turn out to be data, it then joins them on
// one line. Empty cells at the end of the row are dropped.
func (s *shaper) tableRow(n *html.Node) {
	outer := len(s.row)
	s.table.column = 0
	s.children(n)
	s.table.row++
	cells := s.row[outer:]
	for len(cells) > 0 && cells[len(cells)-1] == (cell{}) {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > 1 {
		s.joinRow(cells)
	}
	s.row = s.row[:outer]
}

// cell writes a cell. Before and after it, each column of data in which no text stands gets an empty cell, so that what
// follows stays under its own heading. Such a column is empty, or part of a cell that spans several columns or rows.
func (s *shaper) cell(n *html.Node) {
	first, next := s.table.reserve(n, s.table.column)
	s.emptyCells(s.table.column, first)
	before, start, items := s.position, len(s.buf), s.items
	s.children(n)
	s.endLine()
	s.table.column = next
	lines := 1
	if s.table.columns != 0 {
		lines = linesOfData + s.items - items
	}
	if s.lines > before.lines {
		s.row = append(s.row, s.cellSince(before, start, lines))
		first++
	}
	s.emptyCells(first, next)
}

// emptyCells adds an empty cell for each column of data from column to before end.
func (s *shaper) emptyCells(column, end int) {
	for ; column < min(end, mostColumns); column++ {
		if s.table.has(column) {
			s.row = append(s.row, cell{})
		}
	}
}
