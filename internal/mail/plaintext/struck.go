package plaintext

// struck is where the tilde stands in buf that opens struck-out text on this line, or waiting or none, and whether the
// text is struck out within bold text.
type struck struct {
	start  int
	inBold bool
}

// openStruck sets struck-out text apart, as it often stands before what takes its place, such as a price.
func (w *writer) openStruck() {
	w.settle(0)
	w.apart()
	w.struck = struck{start: waiting, inBold: w.boldStart != none}
}

func (w *writer) closeStruck() {
	w.endLine()
	w.apart()
	w.struck.start = none
}

// strike opens struck-out text that waits for its first word.
func (w *writer) strike() {
	if w.struck.start == waiting {
		w.struck.start = len(w.buf)
		w.buf = append(w.buf, '~')
	}
}

// endLine writes the marks of text that ends on this line, or here for now. Each line of struck-out text has its own.
func (w *writer) endLine() {
	w.settle(0)
	if w.struck.start >= 0 {
		w.buf = append(w.buf, '~')
		w.struck.start = waiting
	}
}
