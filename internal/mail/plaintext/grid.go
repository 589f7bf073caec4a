package plaintext

import "golang.org/x/net/html"

// grid tells in which columns the cells of a table's part stand, row after row, as cells of rows above may reach down
// into others (HTML 4.9.12).
type grid struct {
	row   int
	taken [mostColumns]int // the row at which a cell from above ends
}

// place is the column in which a cell begins.
type place struct {
	cell   *html.Node
	column int
}

const mostRows = 65534 // that a cell takes (HTML 4.9.11)

// place finds a cell's first free column, from a column on, and the one behind the cell.
func (g *grid) place(cell *html.Node, column int) (first, next int) {
	for column < mostColumns && g.taken[column] > g.row {
		column++
	}
	next = column + max(1, span(cell, "colspan", mostColumns))
	rows := span(cell, "rowspan", mostRows)
	if rows == 0 { // all that follow
		rows = mostRows
	}
	if rows > 1 {
		for c := column; c < min(next, mostColumns); c++ {
			g.taken[c] = g.row + rows
		}
	}
	return column, next
}

// placeRow finds the places of a row's cells, and how many columns the row has.
func (g *grid) placeRow(row *html.Node) (cells []place, width int) {
	for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
		if isCell(cell) {
			first, next := g.place(cell, width)
			cells, width = append(cells, place{cell, first}), next
		}
	}
	for column := width; column < mostColumns; column++ {
		if g.taken[column] > g.row {
			width = column + 1
		}
	}
	g.row++
	return cells, width
}

// span is how many columns or rows a cell takes, by an attribute.
func span(cell *html.Node, key string, most int) int {
	if n, ok := number(attribute(cell, key)); ok && n >= 0 {
		return min(n, most)
	}
	return 1
}
