package plaintext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// writer writes lines of text into the tree that html2text renders. What separates words (line feeds, spaces, an item's
// mark) waits for the next word, so that nothing trails and nothing stands alone.
type writer struct {
	into *html.Node // the root, or the innermost quotation
	buf  []byte     // what is not in the tree yet
	position

	feeds  int    // line feeds that wait, at most 2
	space  rune   // the space that waits: 0, ' ' or a no-break one
	indent int    // spaces that wait, in a pre element
	soft   bool   // a space waits unless punctuation follows
	padded bool   // a no-break space stood where the line is still empty
	joiner rune   // a joiner or direction mark that waits for what it joins
	mark   string // the list item's mark that waits

	quotes  int // quotations that wait to be opened
	heading bool
	hrefs   []string // of links in the heading

	link, boldStart, boldEnd int // where they are in buf, or waiting or none
	boldLines                int
	bare                     bareLink // the last link, if it has no text
}

// position is a place in the text: how often buf was emptied, how many lines were begun, and where the last one begins.
type position struct{ flushes, lines, lineStart int }

const (
	none    = -1
	waiting = -2 // for its first word
)

func newWriter() writer {
	// In a pre element html2text leaves spaces as they are.
	return writer{into: &html.Node{Type: html.ElementNode, Data: "pre", DataAtom: atom.Pre},
		link: none, boldStart: none, boldEnd: none}
}

// finish returns the tree.
func (w *writer) finish() *html.Node {
	w.settle(0)
	w.flush()
	for w.into.Parent != nil {
		w.into = w.into.Parent
	}
	return w.into
}

// feed ends the line, if there is one, and asks for at least so many line feeds before the next word.
func (w *writer) feed(feeds int) {
	w.settle(0)
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
	if w.boldStart == waiting {
		w.boldStart, w.boldLines = len(w.buf), w.lines
		if before, _ := utf8.DecodeLastRune(w.buf); isWord(before) {
			w.boldStart = none
		}
	}
	if w.link == waiting {
		w.link = len(w.buf)
	}
	w.buf = append(w.buf, s...)
	w.space, w.indent, w.soft, w.joiner, w.padded = 0, 0, false, 0, false
}

func (w *writer) beginLine() {
	for ; w.quotes > 0; w.quotes-- {
		// html2text feeds one line itself before a quotation.
		if w.flush(); w.feeds > 1 {
			w.into.AppendChild(newBreak())
		}
		quote := &html.Node{Type: html.ElementNode, Data: "blockquote", DataAtom: atom.Blockquote}
		w.into.AppendChild(quote)
		w.into, w.feeds = quote, 0
	}
	if len(w.buf) > 0 {
		w.buf = append(w.buf, "\n\n"[:w.feeds]...)
	}
	w.feeds = 0
	w.lines++
	w.lineStart = len(w.buf)
	if w.indent > 0 || strings.HasPrefix(w.mark, " ") {
		w.spaces(w.indent)
		if w.into.Parent == nil {
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

// flush puts what is written into the tree. html2text wraps the lines of a quotation, so it gets each by itself.
func (w *writer) flush() {
	if len(w.buf) == 0 {
		return
	}
	w.flushes++
	if w.into.Parent == nil {
		w.into.AppendChild(&html.Node{Type: html.TextNode, Data: string(w.buf)})
	} else {
		appendLines(w.into, string(w.buf))
	}
	w.buf = w.buf[:0]
}

func appendLines(into *html.Node, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			into.AppendChild(newBreak())
		}
		if line != "" {
			into.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		}
	}
}

func newBreak() *html.Node { return &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br} }

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

// html2text draws a line as long as the heading. It is none if that is but a mark, or longer than a line of text.
const (
	narrowestHeading = 3 // characters
	widestHeading    = 72
)

// openHeading says whether a heading can be opened here.
func (w *writer) openHeading() bool {
	if w.heading || w.into.Parent != nil || w.quotes > 0 {
		return false
	}
	w.settle(0)
	w.heading = true
	w.flushFor(2)
	return true
}

// flushFor empties buf, and the tree's next text stands so many line feeds below.
func (w *writer) flushFor(feeds int) {
	if w.flush(); w.into.LastChild != nil {
		for range feeds {
			w.into.AppendChild(newBreak())
		}
	}
	w.feeds = 0
}

func (w *writer) closeHeading(level atom.Atom) {
	w.settle(0)
	w.heading = false
	text, widest := string(w.buf), 0
	for line := range strings.SplitSeq(text, "\n") {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	if widest >= narrowestHeading && widest <= widestHeading {
		heading := &html.Node{Type: html.ElementNode, Data: level.String(), DataAtom: level}
		appendLines(heading, text)
		w.into.AppendChild(heading)
		w.buf = w.buf[:0]
		w.flushes++
		w.feeds = 0
	}
	for _, href := range w.hrefs {
		w.feeds = min(w.feeds, 1)
		w.word("( "+href+" )", '(')
		w.lineBreak()
	}
	w.hrefs = w.hrefs[:0]
}

// openLink takes back the link just before if it has no text and leads to the same place, as icons beside a label do.
func (w *writer) openLink(href string) {
	if w.bare.href != "" && w.bare.href == leadsTo(href) && w.bare.end == len(w.buf) && w.bare.flushes == w.flushes {
		w.buf, w.position, w.mark = w.buf[:w.bare.start], w.bare.position, w.bare.mark
		w.feeds = max(w.feeds, w.bare.feeds)
		w.flushes++ // cells that ended since are there no more
		if w.boldStart >= w.bare.start {
			w.boldStart = waiting
		}
	}
	w.bare.href = ""
	w.link = waiting
}

// closeLink writes where a link leads behind its text, before all that waits, unless that is what its text says.
func (w *writer) closeLink(href string) {
	start := w.link
	w.link = none
	href = leadsTo(href)
	if href == "" {
		return
	}
	w.settle(0)
	if start >= 0 && start < len(w.buf) && sameLink(string(w.buf[start:]), href) {
		return
	}
	href = strings.TrimPrefix(href, "mailto:")
	switch {
	case w.heading:
		w.hrefs = append(w.hrefs, href)
		return
	case start >= 0 && start < len(w.buf):
		w.buf = append(append(append(w.buf, " ( "...), href...), " )"...)
	default:
		w.apart()
		w.bare = bareLink{position: w.position, href: href, start: len(w.buf), feeds: w.feeds, mark: w.mark}
		w.word("( "+href+" )", '(')
		if w.bare.end = len(w.buf); w.bare.flushes != w.flushes {
			w.bare.href = "" // it stands in a quotation of its own
		}
	}
	w.apart()
}

// bareLink is a link without text: where it leads, where it stands in buf, and what waited before it.
type bareLink struct {
	position
	href       string
	start, end int
	feeds      int
	mark       string
}

// leadsTo is where a link leads outside of the mail; "" if nowhere.
func leadsTo(href string) string {
	href = strings.TrimSpace(href)
	if strings.ContainsAny(href, "\t\n\r") {
		href = strings.Join(strings.Fields(href), "")
	}
	scheme, _, _ := strings.Cut(href, ":")
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript", "data", "about":
		return ""
	}
	if strings.HasPrefix(href, "#") || strings.EqualFold(href, "mailto:") || strings.EqualFold(href, "tel:") {
		return ""
	}
	return href
}

// sameLink says whether a link's text says already where it leads.
func sameLink(text, href string) bool {
	if number, ok := strings.CutPrefix(href, "tel:"); ok {
		return digits(text) == digits(number)
	}
	if address, ok := strings.CutPrefix(href, "mailto:"); ok {
		href, _, _ = strings.Cut(address, "?")
	}
	return strings.EqualFold(withoutScheme(text), withoutScheme(href))
}

func withoutScheme(link string) string {
	link = strings.Trim(link, " *\u00a0")
	if scheme, after, ok := strings.Cut(link, "://"); ok && (scheme == "https" || scheme == "http") {
		link = after
	}
	return strings.TrimSuffix(link, "/")
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return none
		}
		return r
	}, s)
}

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

// cell is where a cell's text stands in buf. One that takes more than a line has no end.
type cell struct {
	position
	end int
}

func (w *writer) cellSince(before position) cell {
	c := cell{position: w.position, end: none}
	if w.lines == before.lines+1 && w.flushes == before.flushes {
		c.end = len(w.buf)
	}
	return c
}

const widestRow = 120 // characters, without where links lead

// joinRow puts the cells of a row on one line, if each has one line and they are short enough to be data. Columns of a
// page stay below each other.
func (w *writer) joinRow(cells []cell) {
	width, linked := 0, 0
	for _, c := range cells {
		if c.end < 0 || c.flushes != w.flushes {
			return
		}
		text, _, hasLink := bytes.Cut(w.buf[c.lineStart:c.end], []byte("( http"))
		width += utf8.RuneCount(text)
		if hasLink {
			linked++
		}
	}
	if width > widestRow || linked > 1 {
		return
	}
	line := make([]byte, 0, cells[len(cells)-1].end-cells[0].lineStart+2*len(cells))
	for i, c := range cells {
		text := w.buf[c.lineStart:c.end]
		if i > 0 {
			if isLabel(line) || isBullet(text) || bytes.HasPrefix(text, []byte("( ")) {
				line = append(line, ' ')
			} else {
				line = append(line, " | "...)
			}
		}
		line = append(line, text...)
	}
	w.buf = append(w.buf[:cells[0].lineStart], line...)
	w.position = cells[0].position
}

// isLabel says whether the last cell of a line tells by itself that another follows: a bullet, "1." or "Total:".
func isLabel(line []byte) bool {
	last := line[bytes.LastIndexByte(line, '|')+1:]
	return bytes.HasSuffix(line, []byte(":")) || bytes.HasSuffix(line, []byte(":*")) || isBullet(last) ||
		len(last) <= len("10.") && (bytes.HasSuffix(last, []byte(".")) || bytes.HasSuffix(last, []byte(")")))
}

// isBullet says whether a cell has but a sign that sets others apart.
func isBullet(cell []byte) bool {
	return strings.Contains("| · • › » / - – — → ✓ ✔ ★", string(bytes.TrimSpace(cell)))
}

// The kinds of characters.
const (
	visible = iota
	blank
	noBreak // spaces that are kept as they are when alone
	joining // characters that change how their neighbours look
	padding
)

func kindOf(r rune) int {
	switch r {
	case ' ', '\t', '\n', '\r', '\f', '\u2028', '\u2029', '\u0085':
		return blank
	case '\u00a0', '\u2007', '\u202f', '\u3000':
		return noBreak
	case '\u200c', '\u200d', '\u200e', '\u200f', '\u061c':
		return joining
	case '\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u180e', '\u200b', '\u3164', '\ufeff', '\uffa0':
		return padding
	}
	switch {
	case r < ' ' || r == 0x7f, r >= '\u2060' && r <= '\u2064', r >= '\u206a' && r <= '\u206f':
		return padding
	case r >= '\u2000' && r <= '\u200a', r == '\u205f', r == '\u1680':
		return blank
	}
	return visible
}
