package plaintext

import (
	"strings"
	"unicode"
)

// quotation counts the quotations around the text.
type quotation struct {
	lines int // around the lines in buf
	next  int // around the next word
	least int // the least since the last line: less than both if one quotation ended and another began
}

// openQuote begins a quotation, except in a heading, whose lines get no marks.
func (w *writer) openQuote() {
	if !w.heading {
		w.quotes.next++
	}
}

func (w *writer) closeQuote() {
	if !w.heading {
		w.quotes.next--
		w.quotes.least = min(w.quotes.least, w.quotes.next)
	}
}

// crossQuote begins or ends quotations before the next line. All lines in buf have the same marks, so buf goes to the
// tree first. The empty line in between belongs to the quotation around both sides.
func (w *writer) crossQuote() {
	q := w.quotes
	if q.least == q.lines && q.next == q.lines {
		return
	}
	w.flush()
	if w.root.LastChild != nil {
		w.append("\n" + quoteMark(q.least) + "\n")
	}
	w.quotes, w.feeds = quotation{lines: q.next, next: q.next, least: q.next}, 0
}

// quoteMark returns the mark before each line, such as ">> ".
func quoteMark(depth int) string {
	if depth == 0 {
		return ""
	}
	return strings.Repeat(">", depth) + " "
}

const quoteWidth = 74 // characters, without the mark; html2text breaks lines at the same width

// quoted writes the mark before each line, and breaks long lines at their spaces. The marks may be far longer than the
// lines, so each line is held against the bound.
func (w *writer) quoted(text string, depth int) string {
	var all strings.Builder
	mark := quoteMark(depth)
	for line := range strings.Lines(text) {
		for rest := strings.TrimSuffix(line, "\n"); !w.stop(); {
			var first string
			first, rest = breakLine(rest, quoteWidth)
			all.WriteString(mark + first)
			w.bound(w.inTree + all.Len())
			if rest == "" {
				break
			}
			all.WriteByte('\n')
		}
		if strings.HasSuffix(line, "\n") {
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// breakLine breaks a line that is too wide at its last space within the width. Without one it breaks at the first
// space after the width. A space of the indentation does not count.
func breakLine(line string, width int) (first, rest string) {
	at, runes := -1, 0
	indent := len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
	for i, r := range line {
		if unicode.IsSpace(r) && i > indent && (at < 0 || runes <= width) {
			at = i
		}
		runes++
		if runes > width && at >= 0 {
			break
		}
	}
	if runes <= width || at < 0 {
		return line, ""
	}
	return line[:at], strings.TrimLeftFunc(line[at:], unicode.IsSpace)
}
