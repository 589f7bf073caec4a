package plaintext

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// The marks before raised and lowered text that would otherwise change the number or the word before it: $19^99. A
// space stands after such text.
const (
	raised   = '^'
	lowered  = '_'
	baseline = ' '
)

// scriptOf returns raised or lowered for an element of this kind and style, or 0. Style decides over the element.
func scriptOf(kind atom.Atom, css style) rune {
	switch {
	case css.is[isRaised] == yes, css.is[isRaised] == 0 && kind == atom.Sup:
		return raised
	case css.is[isLowered] == yes, css.is[isLowered] == 0 && kind == atom.Sub:
		return lowered
	}
	return 0
}

// openScript begins raised or lowered text.
func (w *writer) openScript(script rune) { w.script = script }

// closeScript ends raised or lowered text. If it had no word, it has changed nothing.
func (w *writer) closeScript() {
	if w.script == 0 {
		w.script = baseline
	} else {
		w.script = 0
	}
}

// scriptMark returns the mark before a word that follows the text without a space, or 0. Digits would join a number,
// and raised ones also a word: m^2, but H2O. The letters of 1st join it rightly.
func (w *writer) scriptMark(first rune) rune {
	before, _ := utf8.DecodeLastRune(w.buf)
	switch {
	case w.script == raised && isWord(before) && (unicode.IsDigit(first) || first == '-' || first == '−'),
		w.script != 0 && unicode.IsDigit(before) && unicode.IsDigit(first):
		return w.script
	}
	return 0
}
