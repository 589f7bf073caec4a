package plaintext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// cell is where a cell's text stands in buf. One that takes more than a line has no end.
type cell struct {
	position
	end int
}

func (w *writer) cellSince(before position) cell {
	c := cell{position: w.position, end: none}
	if w.lines == before.lines+1 && w.flushes == before.flushes {
		c.end = len(w.buf)
	}
	return c
}

const widestRow = 120 // characters, without where links lead

// joinRow puts the cells of a row on one line, if each has one line and they are short enough to be data. Columns of a
// page stay below each other.
func (w *writer) joinRow(cells []cell) {
	width, linked := 0, 0
	for _, c := range cells {
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
	line := make([]byte, 0, cells[len(cells)-1].end-cells[0].lineStart+2*len(cells))
	for i, c := range cells {
		text := w.buf[c.lineStart:c.end]
		if i > 0 {
			if isLabel(line) || isBullet(text) || bytes.HasPrefix(text, []byte("( ")) {
				line = append(line, ' ')
			} else {
				line = append(line, " | "...)
			}
		}
		line = append(line, text...)
	}
	w.buf = append(w.buf[:cells[0].lineStart], line...)
	w.position = cells[0].position
}

// isLabel says whether the last cell of a line tells by itself that another follows: a bullet, "1." or "Total:".
func isLabel(line []byte) bool {
	last := line[bytes.LastIndexByte(line, '|')+1:]
	return bytes.HasSuffix(line, []byte(":")) || bytes.HasSuffix(line, []byte(":*")) || isBullet(last) ||
		len(last) <= len("10.") && (bytes.HasSuffix(last, []byte(".")) || bytes.HasSuffix(last, []byte(")")))
}

// isBullet says whether a cell has but a sign that sets others apart.
func isBullet(cell []byte) bool {
	return strings.Contains("| · • › » / - – — → ✓ ✔ ★", string(bytes.TrimSpace(cell)))
}
