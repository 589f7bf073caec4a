package plaintext

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// writer writes lines of text into the tree that html2text renders. What separates words (line feeds, spaces, an item's
// mark) waits for the next word, so that nothing trails and nothing stands alone.
type writer struct {
	root *html.Node
	buf  []byte // what is not in the tree yet
	position

	feeds  int    // line feeds that wait, at most 2
	space  rune   // the space that waits: 0, ' ' or a no-break one
	indent int    // spaces that wait, in a pre element
	soft   bool   // a space waits unless punctuation follows
	padded bool   // a no-break space stood where the line is still empty
	joiner rune   // a joiner or direction mark that waits for what it joins
	mark   string // the list item's mark that waits

	quotes  quotation
	base    *url.URL // of relative links; nil without
	heading bool
	hrefs   []string // of links in the heading

	link, boldStart, boldEnd int // where they are in buf, or waiting or none
	linkEnd, boldLines       int
	struck                   struck
	bare                     bareLink // the last link, if it has no text
}

// position is a place in the text: how often buf was emptied, how many lines were begun, and where the last one begins.
type position struct{ flushes, lines, lineStart int }

const (
	none    = -1
	waiting = -2 // for its first word
)

func newWriter() writer {
	return writer{root: newPre(), link: none, boldStart: none, boldEnd: none, struck: struck{start: none}}
}

// newPre is an element in which html2text leaves spaces as they are, and does not look for them.
func newPre() *html.Node { return &html.Node{Type: html.ElementNode, Data: "pre", DataAtom: atom.Pre} }

// finish returns the tree.
func (w *writer) finish() *html.Node {
	w.endLine()
	w.flush()
	return w.root
}

// feed ends the line, if there is one, and asks for at least so many line feeds before the next word.
func (w *writer) feed(feeds int) {
	w.endLine()
	w.feeds = max(w.feeds, feeds)
	w.space, w.indent, w.soft, w.joiner, w.padded = 0, 0, false, 0, false
}

// endBlock is feed at the end of a block. One of nothing but a no-break space is an empty line.
func (w *writer) endBlock(feeds int) {
	if w.padded {
		feeds = 2
	}
	w.feed(feeds)
}

// lineBreak is a br, or a line feed that is kept.
func (w *writer) lineBreak() { w.feed(min(w.feeds+1, 2)) }

// apart keeps the words before and after from becoming one.
func (w *writer) apart() { w.soft = true }

// text writes text. Spaces in a row are one, unless pre keeps them; line feeds are spaces, unless lines keeps them.
// Characters that take no room are padding, and go.
func (w *writer) text(s string, lines, pre bool) {
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && s[end] > ' ' && s[end] < 0x7f {
			end++
		}
		if end > i {
			w.word(s[i:end], rune(s[i]))
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch kindOf(r) {
		case visible:
			w.word(s[i:i+size], r)
		case blank:
			switch {
			case lines && r == '\n':
				w.lineBreak()
			case pre && r == '\t':
				w.indent += 4
			case pre:
				w.indent++
			default:
				w.space = ' '
			}
		case noBreak:
			if w.atLineStart() {
				w.padded = true
			}
			if w.space == 0 && r != '\u2007' {
				w.space = r
			} else {
				w.space = ' '
			}
		case joining:
			w.joiner = r
		}
		i += size
	}
}

func (w *writer) atLineStart() bool { return w.feeds > 0 || len(w.buf) == 0 }

// word writes a part of the text without spaces that begins with first, after all that waits for it.
func (w *writer) word(s string, first rune) {
	w.settle(first)
	switch {
	case w.atLineStart():
		w.beginLine()
	case w.indent > 0:
		w.spaces(w.indent)
	case w.space != 0:
		w.buf = utf8.AppendRune(w.buf, w.space)
	case w.soft && !strings.ContainsRune(".,;:!?)]}>…'’\"”»%、。，；：！？）」』", first) && !bytes.HasSuffix(w.buf, []byte("(")):
		w.buf = append(w.buf, ' ')
	case w.joiner != 0 && (w.joiner >= '\u200e' || first >= '\u0600' || first == '\ufe0f'):
		w.buf = utf8.AppendRune(w.buf, w.joiner)
	}
	if !w.struck.inBold {
		w.strike()
	}
	if w.boldStart == waiting {
		w.boldStart, w.boldLines = len(w.buf), w.lines
		if before, _ := utf8.DecodeLastRune(w.buf); isWord(before) {
			w.boldStart = none
		}
	}
	w.strike()
	if w.link == waiting {
		w.link = len(w.buf)
	}
	w.buf = append(w.buf, s...)
	w.space, w.indent, w.soft, w.joiner, w.padded = 0, 0, false, 0, false
}

func (w *writer) beginLine() {
	w.crossQuote()
	if len(w.buf) > 0 {
		w.buf = append(w.buf, "\n\n"[:w.feeds]...)
	}
	w.feeds = 0
	w.lines++
	w.lineStart = len(w.buf)
	if w.indent > 0 || strings.HasPrefix(w.mark, " ") {
		w.spaces(w.indent)
		if w.quotes.lines == 0 {
			w.spaces(1) // html2text takes one space from the beginning of each line
		}
	}
	w.buf = append(w.buf, w.mark...)
	w.mark = ""
}

func (w *writer) spaces(n int) {
	for range n {
		w.buf = append(w.buf, ' ')
	}
}

// flush puts what is written into the tree.
func (w *writer) flush() {
	if len(w.buf) == 0 {
		return
	}
	w.flushes++
	if text := string(w.buf); w.quotes.lines > 0 {
		w.append(quoted(text, w.quotes.lines))
	} else {
		w.append(text)
	}
	w.buf = w.buf[:0]
}

func (w *writer) append(text string) {
	w.root.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

func newBreak() *html.Node { return &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br} }
