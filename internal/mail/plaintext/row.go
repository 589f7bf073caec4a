package plaintext

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// cell is where a cell's text stands in buf, and the position of its first line. One that takes more lines than a row
// has no end; an empty one, which keeps its column, is the zero value.
type cell struct {
	position
	end int
}

const linesOfData = 2 // at most, of a cell of data, beside one for each item of a list

// cellSince is the cell whose text began after a position, at start or behind line feeds there, with so many lines
// at most.
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

const widestRow = 120 // characters, without where links lead

// joinRow puts the cells of a row on one line, if they have few lines and are short enough to be data. Columns of a
// page stay below each other.
func (w *writer) joinRow(cells []cell) {
	width, linked := 0, 0
	for _, c := range cells {
		if c == (cell{}) {
			continue
		}
		if c.end < 0 || c.flushes != w.flushes {
			return
		}
		text, _, hasLink := bytes.Cut(w.buf[c.lineStart:c.end], []byte("( http"))
		width += utf8.RuneCount(text)
		if hasLink {
			linked++
		}
	}
	if width > widestRow || linked > 1 {
		return
	}
	first := cells[slices.IndexFunc(cells, func(c cell) bool { return c != cell{} })]
	line := make([]byte, 0, cells[len(cells)-1].end-first.lineStart+2*len(cells))
	var text, last []byte
	for i, c := range cells {
		last, text = text, w.buf[c.lineStart:c.end]
		switch {
		case i == 0:
		case len(text) > 0 && (isLabel(last) || isBullet(text) || bytes.HasPrefix(text, []byte("( "))):
			line = append(line, ' ')
		case len(text) == 0:
			line = append(line, " |"...)
		default:
			line = append(line, " | "...)
		}
		if bytes.IndexByte(text, '\n') >= 0 {
			text = bytes.Join(bytes.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ' ' }), []byte(" "))
		}
		line = append(line, text...)
	}
	if cells[0] == (cell{}) {
		line = line[1:]
	}
	w.buf = append(w.buf[:first.lineStart], line...)
	w.position = first.position
}

// isLabel says whether a cell tells by itself that another follows: a bullet, "1." or "Total:".
func isLabel(cell []byte) bool {
	return bytes.HasSuffix(cell, []byte(":")) || bytes.HasSuffix(cell, []byte(":*")) || isBullet(cell) ||
		len(cell) <= len("10.") && (bytes.HasSuffix(cell, []byte(".")) || bytes.HasSuffix(cell, []byte(")"))) &&
			(len(cell) == len("a.") || cell[0] <= '9')
}

// isBullet says whether a cell has but a sign that sets others apart.
func isBullet(cell []byte) bool {
	return len(cell) > 0 && strings.Contains("| · • › » / - – — → ✓ ✔ ★", string(bytes.TrimSpace(cell)))
}
