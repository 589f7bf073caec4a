package plaintext

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// cell is the place of a cell's text in buf, with the position of its first line. end is none for a cell with too
// many lines for a row. The zero value is an empty cell that keeps its column.
type cell struct {
	position
	end int
}

const linesOfData = 2 // the most lines of a cell of data; each item of a list adds one

// cellSince returns the cell whose text began at start, after the line feeds there, and after the position before. If
// the cell has more than the given number of lines, its end is none.
func (w *writer) cellSince(before position, start, lines int) cell {
	for start < len(w.buf) && w.buf[start] == '\n' {
		start++
	}
	c := cell{position{flushes: w.flushes, lines: before.lines + 1, lineStart: start}, none}
	if w.lines <= before.lines+lines && w.flushes == before.flushes {
		c.end = len(w.buf)
	}
	return c
}

const (
	widestRow   = 120     // characters, without the targets of links
	longestCell = 8 << 10 // bytes of a cell of data, with the target of its link
)

// joinRow joins the cells of a row on one line if they have few lines and are short enough to be data. The columns of
// a layout stay below each other. A row with more than one link is a layout too, such as a menu.
func (w *writer) joinRow(cells []cell) {
	width, links := 0, 0
	for _, c := range cells {
		if c == (cell{}) {
			continue
		}
		// The cell has too many lines, is in the tree already, or is too long to be read again for each table around
		// it.
		if w.stop() || c.end < 0 || c.flushes != w.flushes || c.end-c.lineStart > longestCell {
			return
		}
		text, _, hasLink := bytes.Cut(w.buf[c.lineStart:c.end], []byte("( http"))
		width += utf8.RuneCount(text)
		if hasLink {
			links++
		}
	}
	if width > widestRow || links > 1 {
		return
	}
	// The line takes the place of the first cell that has text.
	first := cells[slices.IndexFunc(cells, func(c cell) bool { return c != cell{} })]
	line := make([]byte, 0, cells[len(cells)-1].end-first.lineStart+2*len(cells))
	var text, last []byte
	for i, c := range cells {
		last, text = text, w.buf[c.lineStart:c.end]
		switch { // no bar after a label, before a bullet and before the target of a link
		case i == 0:
		case len(text) > 0 && (isLabel(last) || isBullet(text) || bytes.HasPrefix(text, []byte("( "))):
			line = append(line, ' ')
		case len(text) == 0:
			line = append(line, " |"...)
		default:
			line = append(line, " | "...)
		}
		// A cell of several lines, such as a list, goes on one line.
		if bytes.IndexByte(text, '\n') >= 0 {
			text = bytes.Join(bytes.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ' ' }), []byte(" "))
		}
		line = append(line, text...)
	}
	if cells[0] == (cell{}) { // the line begins with " |"
		line = line[1:]
	}
	w.buf = append(w.buf[:first.lineStart], line...)
	w.position = first.position
}

// isLabel reports whether a cell shows by itself that another one follows: a bullet, "1.", "a)" or "Total:". No bar
// is needed after it.
func isLabel(cell []byte) bool {
	return bytes.HasSuffix(cell, []byte(":")) || bytes.HasSuffix(cell, []byte(":*")) || isBullet(cell) ||
		len(cell) <= len("10.") && (bytes.HasSuffix(cell, []byte(".")) || bytes.HasSuffix(cell, []byte(")"))) &&
			(len(cell) == len("a.") || cell[0] <= '9')
}

// isBullet reports whether a cell has nothing but a sign that separates or marks others.
func isBullet(cell []byte) bool {
	return len(cell) > 0 && strings.Contains("| · • › » / - – — → ✓ ✔ ★", string(bytes.TrimSpace(cell)))
}
