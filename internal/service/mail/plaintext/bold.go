package plaintext

import (
	"bytes"
	"unicode"
)

// openBold begins bold text. If the last bold text has just ended and nothing is in between, it continues that
// text instead.
func (w *writer) openBold() {
	if w.boldEnd >= 0 && w.feeds == 0 && w.space == 0 && !w.soft {
		w.boldEnd, w.boldGoesOn = none, true
		return
	}
	w.settle(0)
	w.boldStart, w.boldGoesOn = waiting, false
}

// closeBold marks bold text that is on one line and has a word. The marks wait until the next character shows whether
// the word ends here. Text that goes on is known to have a word: it is not read again for each piece.
func (w *writer) closeBold() {
	if w.boldStart >= 0 && w.boldStart < len(w.buf) && w.boldLines == w.lines &&
		(w.boldGoesOn || bytes.ContainsFunc(w.buf[w.boldStart:], w.isWord)) {
		w.boldEnd = len(w.buf)
	} else {
		w.boldStart = none
	}
}

// settle writes the waiting marks of bold text, unless next continues its last word. 0 stands for the end of the word.
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

// isWord is [isWord], and counts the characters.
func (w *writer) isWord(r rune) bool {
	w.steps++
	return isWord(r)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
