package plaintext

import (
	"bytes"
	"unicode"
)

// openBold goes on with bold text that has just ended, if nothing stands between.
func (w *writer) openBold() {
	if w.boldEnd >= 0 && w.feeds == 0 && w.space == 0 && !w.soft {
		w.boldEnd = none
		return
	}
	w.settle(0)
	w.boldStart = waiting
}

// closeBold marks bold text that stands on one line and has a word. The marks wait until it is known that the word
// ends there.
func (w *writer) closeBold() {
	if w.boldStart >= 0 && w.boldStart < len(w.buf) && w.boldLines == w.lines &&
		bytes.ContainsFunc(w.buf[w.boldStart:], isWord) {
		w.boldEnd = len(w.buf)
	} else {
		w.boldStart = none
	}
}

// settle writes the marks of bold text, unless the word goes on with next. 0 says that it does not.
func (w *writer) settle(next rune) {
	if w.boldEnd < 0 {
		return
	}
	if w.boldEnd <= len(w.buf) && !(isWord(next) && w.space == 0 && w.feeds == 0 && !w.soft) {
		w.buf = append(w.buf, "**"...)
		copy(w.buf[w.boldEnd+2:], w.buf[w.boldEnd:])
		copy(w.buf[w.boldStart+1:], w.buf[w.boldStart:w.boldEnd])
		w.buf[w.boldStart], w.buf[w.boldEnd+1] = '*', '*'
	}
	w.boldStart, w.boldEnd = none, none
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
