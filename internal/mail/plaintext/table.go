package plaintext

import "golang.org/x/net/html"

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
	s.children(n)
	s.table = outer
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

// emptyCells adds an empty cell for each column of data from column to before end.
func (s *shaper) emptyCells(column, end int) {
	for ; column < min(end, mostColumns); column++ {
		if s.table.has(column) {
			s.row = append(s.row, cell{})
		}
	}
}
