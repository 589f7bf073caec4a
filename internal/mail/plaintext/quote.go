package plaintext

import (
	"strings"
	"unicode"
)

// quotation is where the text stands: how many quotations are around.
type quotation struct {
	lines int // of the lines in buf
	next  int // of the next word
	least int // since the last line: where it is less, a quotation ended in between
}

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

// crossQuote begins or ends quotations before the next line. The empty line between belongs to the quotation that is
// around both.
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

func quoteMark(depth int) string {
	if depth == 0 {
		return ""
	}
	return strings.Repeat(">", depth) + " "
}

const quoteWidth = 74 // characters, without the mark

// quoted marks each line, and breaks long ones at their spaces.
func quoted(text string, depth int) string {
	var all strings.Builder
	mark := quoteMark(depth)
	for line := range strings.Lines(text) {
		for rest := strings.TrimSuffix(line, "\n"); ; {
			var first string
			first, rest = breakLine(rest, quoteWidth)
			all.WriteString(mark + first)
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

// breakLine breaks a line that is too wide at its last space within the width, else at the first one behind it.
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
