package plaintext

// struck is the state of struck-out text. start is the offset in buf of its opening tilde on this line, or waiting or
// none. inBold says whether it began inside bold text.
type struck struct {
	start  int
	inBold bool
}

// openStruck begins struck-out text, with a space before it: often its replacement follows, such as a new price.
func (w *writer) openStruck() {
	w.settle(0)
	w.apart()
	w.struck = struck{start: waiting, inBold: w.boldStart != none}
}

// closeStruck ends struck-out text. Without a word it has left nothing.
func (w *writer) closeStruck() {
	w.endLine()
	w.apart()
	w.struck.start = none
}

// strike writes the opening tilde before the first word of struck-out text.
func (w *writer) strike() {
	if w.struck.start == waiting {
		w.struck.start = len(w.buf)
		w.buf = append(w.buf, '~')
	}
}

// endLine writes the closing marks at the end of a line, or of a part of it. Each line of struck-out text has its
// own tildes.
func (w *writer) endLine() {
	w.settle(0)
	if w.struck.start >= 0 {
		w.buf = append(w.buf, '~')
		w.struck.start = waiting
	}
}
