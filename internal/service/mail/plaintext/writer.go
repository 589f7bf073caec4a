package plaintext

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/jaytaylor/html2text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// writer writes lines of text into the tree that html2text renders. Everything that separates words waits for the
// next word: line feeds, spaces and the mark of a list item. So no line ends in a space, and no mark stands alone. It
// stops when the text is too long. The tree has only texts, line breaks and headings, none inside another, so html2text
// reads it in linear time.
type writer struct {
	*effort
	root   *html.Node
	inTree int    // bytes of text
	buf    []byte // the text that is not in the tree yet
	position

	feeds  int    // waiting line feeds, at most 2
	space  rune   // the waiting space: 0, ' ' or a no-break space
	indent int    // number of waiting spaces, in a pre element
	soft   bool   // a space waits, and is dropped before punctuation
	padded bool   // the line has only a no-break space so far
	joiner rune   // a joiner or direction mark that waits for the next character
	mark   string // the waiting mark of a list item
	script rune   // raised or lowered before the first word of such text, baseline after it, else 0

	quotes   quotation
	base     *url.URL // of relative links; nil for none
	resolved int      // bytes of all targets that were resolved against it
	heading  bool
	hrefs    []string // of links in the heading, which are written below it

	link, boldStart, boldEnd int // offsets in buf, or waiting or none
	linkEnd, boldLines       int
	boldGoesOn               bool // after bold text that had a word
	struck                   struck
	bare                     bareLink // the last link, if it has no text
}

// position is a place in the text: how often buf was emptied, how many lines have begun, and where in buf the last of
// them begins. That offset is valid only as long as flushes stays the same.
type position struct{ flushes, lines, lineStart int }

const (
	none    = -1
	waiting = -2 // for its first word
)

func newWriter(e *effort) writer {
	return writer{effort: e, root: newPre(), link: none, boldStart: none, boldEnd: none, struck: struck{start: none}}
}

// newPre returns an element in which html2text keeps all spaces. Outside of one it would join and trim them again,
// with a regular expression for each text.
func newPre() *html.Node { return &html.Node{Type: html.ElementNode, Data: "pre", DataAtom: atom.Pre} }

// finish ends the text and renders it, or returns the error that has stopped the writer.
func (w *writer) finish() (string, error) {
	w.endLine()
	w.flush()
	if w.err != nil {
		return "", w.err
	}
	return html2text.FromHTMLNode(w.root)
}

// feed ends the current line, if any, and asks for at least that many line feeds before the next word. What waits
// between words of one line is dropped.
func (w *writer) feed(feeds int) {
	w.endLine()
	w.feeds = max(w.feeds, feeds)
	w.space, w.indent, w.soft, w.joiner, w.padded = 0, 0, false, 0, false
}

// endBlock is feed at the end of a block. A block with only a no-break space is an empty line: editors of mails write
// one this way.
func (w *writer) endBlock(feeds int) {
	if w.padded {
		feeds = 2
	}
	w.feed(feeds)
}

// lineBreak is called for a br, and for a line feed that is kept.
func (w *writer) lineBreak() { w.feed(min(w.feeds+1, 2)) }

// apart separates the words before and after.
func (w *writer) apart() { w.soft = true }

// text writes text. Several spaces become one, unless pre keeps them. Line feeds become spaces, unless lines keeps
// them. Padding, which is characters without width, is dropped.
func (w *writer) text(s string, lines, pre bool) {
	for i := 0; i < len(s) && !w.stop(); {
		end := i
		// Most text is visible ASCII, and is written in long pieces.
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
			// A single no-break space is kept. Several of them, or a figure space, are padding and become one
			// ordinary space.
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

// atLineStart reports whether the next word begins a line.
func (w *writer) atLineStart() bool { return w.feeds > 0 || len(w.buf) == 0 }

// word writes a part of the text without spaces, after everything that waits for it. first is its first character.
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
		// U+200E and U+200F always stay. The others matter only in scripts from Arabic on and before a variation
		// selector; elsewhere they are padding.
		w.buf = utf8.AppendRune(w.buf, w.joiner)
	default:
		if mark := w.scriptMark(first); mark != 0 {
			w.buf = utf8.AppendRune(w.buf, mark)
		}
	}
	// The marks must nest: if the struck-out text began in bold text, its tilde goes after the asterisk.
	if !w.struck.inBold {
		w.strike()
	}
	if w.boldStart == waiting {
		w.boldStart, w.boldLines = len(w.buf), w.lines
		// Bold text that begins within a word is not marked.
		if before, _ := utf8.DecodeLastRune(w.buf); isWord(before) {
			w.boldStart = none
		}
	}
	w.strike()
	if w.link == waiting {
		w.link = len(w.buf)
	}
	w.buf = append(w.buf, s...)
	w.bound(w.inTree + len(w.buf))
	w.space, w.indent, w.soft, w.joiner, w.padded, w.script = 0, 0, false, 0, false, 0
}

// beginLine begins a line with what waits for it: line feeds, the borders of quotations, spaces and the mark of
// an item.
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
			w.spaces(1) // html2text removes one space from the start of each line
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

// flush moves the text in buf to the tree.
func (w *writer) flush() {
	if len(w.buf) == 0 {
		return
	}
	w.flushes++
	if w.quotes.lines > 0 {
		w.append(w.quoted(string(w.buf), w.quotes.lines))
	} else {
		w.append(string(w.buf))
	}
	w.buf = w.buf[:0]
}

func (w *writer) append(text string) {
	w.inTree += len(text)
	w.root.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

func newBreak() *html.Node { return &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br} }
