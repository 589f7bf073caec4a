package plaintext

import "golang.org/x/net/html"

// table is the table that is walked.
type table struct {
	columns
	grid
	column int // of the next cell
}

func (s *shaper) tableOf(n *html.Node) {
	outer := s.table
	s.table = table{columns: columnsOf(n)}
	s.children(n)
	s.table = outer
}

// tableRow writes a row's cells, each on a line of its own at first. If they are data, they are then joined in one.
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

// cell writes a cell. A column of data counts in which it, or one from above, has no text, so that what follows stands
// under its own heading.
func (s *shaper) cell(n *html.Node) {
	first, next := s.table.place(n, s.table.column)
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

// emptyCells keeps the columns of data from one up to another.
func (s *shaper) emptyCells(column, end int) {
	for ; column < min(end, mostColumns); column++ {
		if s.table.has(column) {
			s.row = append(s.row, cell{})
		}
	}
}
