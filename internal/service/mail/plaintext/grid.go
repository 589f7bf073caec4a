package plaintext

import "golang.org/x/net/html"

// grid tracks the columns in which the cells of a thead, tbody or tfoot are. It goes row by row, because a cell with
// a rowspan takes its columns in later rows too (HTML 4.9.12).
type grid struct {
	row   int
	taken [mostColumns]int // for each column, the first row that is free again
}

// gridCell is the column in which a cell begins.
type gridCell struct {
	cell   *html.Node
	column int
}

const mostRows = 65534 // the greatest rowspan (HTML 4.9.11)

// reserve returns the first free column for a cell, from the given column on, and the column after the cell. It marks
// the columns that the cell takes in the rows below.
func (g *grid) reserve(cell *html.Node, column int) (first, next int) {
	for column < mostColumns && g.taken[column] > g.row {
		column++
	}
	next = column + max(1, span(cell, "colspan", mostColumns))
	rows := span(cell, "rowspan", mostRows)
	if rows == 0 { // all rows that follow, HTML 4.9.11
		rows = mostRows
	}
	if rows > 1 {
		for c := column; c < min(next, mostColumns); c++ {
			g.taken[c] = g.row + rows
		}
	}
	return column, next
}

// reserveRow returns the places of a row's cells and the number of columns of the row, including those that cells from
// above take. It then goes on to the next row.
func (g *grid) reserveRow(row *html.Node) (cells []gridCell, width int) {
	for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
		if isCell(cell) {
			first, next := g.reserve(cell, width)
			cells, width = append(cells, gridCell{cell, first}), next
		}
	}
	// Cells from above may lie behind the last cell of the row.
	for column := width; column < mostColumns; column++ {
		if g.taken[column] > g.row {
			width = column + 1
		}
	}
	g.row++
	return cells, width
}

// span returns the number of columns or rows that a cell takes according to an attribute, by default 1.
func span(cell *html.Node, key string, most int) int {
	if n, ok := number(attribute(cell, key)); ok && n >= 0 {
		return min(n, most)
	}
	return 1
}
