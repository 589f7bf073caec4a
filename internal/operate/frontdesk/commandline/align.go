package commandline

import (
	"strings"

	"github.com/rivo/uniseg"
)

// gap is how many spaces stand between two columns.
const gap = 2

// align replaces the tabs of a text by spaces, so that cells below each other begin in the same column. A column ends
// at the first line that has no cell in it, as in [text/tabwriter]. Unlike there, a cell is as wide as a terminal
// shows it: most letters of Chinese, Japanese and Korean and most emoji take two places, combining accents take none.
// https://www.unicode.org/reports/tr11/
func align(text string) string {
	lines := strings.Split(text, "\n")
	rows := make([][]string, len(lines))
	columns := 0
	for i, line := range lines {
		rows[i] = strings.Split(line, "\t")
		columns = max(columns, len(rows[i]))
	}
	for column := range columns {
		for begin := 0; begin < len(rows); begin++ {
			end, width := begin, 0
			for end < len(rows) && column < len(rows[end])-1 { // the last cell of a line ends no column
				width = max(width, uniseg.StringWidth(rows[end][column]))
				end++
			}
			for ; begin < end; begin++ {
				cell := rows[begin][column]
				rows[begin][column] += strings.Repeat(" ", width-uniseg.StringWidth(cell)+gap)
			}
		}
	}
	for i, row := range rows {
		lines[i] = strings.Join(row, "")
	}
	return strings.Join(lines, "\n")
}
