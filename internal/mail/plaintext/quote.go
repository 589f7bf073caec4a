package plaintext

func (w *writer) openQuote() {
	if !w.heading {
		w.settle(0)
		w.quotes++
	}
}

func (w *writer) closeQuote() {
	switch {
	case w.heading:
	case w.quotes > 0:
		w.quotes--
	default:
		w.settle(0)
		w.flush()
		w.into, w.feeds = w.into.Parent, 0
	}
}
