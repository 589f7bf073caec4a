package plaintext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shaper walks a parsed tree once and passes to a [writer] what a reader of the HTML sees. It decides what html2text
// would get wrong: which elements are hidden, where lines end, and which cells are in one row.
type shaper struct {
	writer
	sheet   *sheet
	lists   []list // around the element, the innermost last
	items   int    // number of list items so far
	row     []cell // the cells so far of all open rows, the innermost row last
	table   table
	quirks  bool      // browsers show the document in quirks mode
	inherit inherited // from the elements around
}

// inherited is what an element passes on to its descendants.
type inherited struct {
	invisible bool // visibility: hidden
	tiny      bool // a font of at most 1 px
	lines     bool // white-space keeps line feeds
	pre       bool // white-space keeps spaces
	struck    bool // struck out
	bold      bool // inside b or strong, or in a heading, where these get no marks

	// Only for children: they are in the row, or in the column, of a flexible box or a grid.
	parts, stacks bool
}

// take applies the style of an element. A property without a value inherits; parts and stacks do not.
func (i *inherited) take(css style) {
	for _, p := range []struct {
		answer
		to *bool
	}{
		{css.is[invisible], &i.invisible}, {css.is[tiny], &i.tiny},
		{css.is[keepsLines], &i.lines}, {css.is[keepsSpaces], &i.pre},
	} {
		if p.answer != 0 {
			*p.to = p.answer == yes
		}
	}
	i.parts = css.is[parts] == yes
	i.stacks = i.parts && css.is[stacks] == yes
}

// shape returns the text of a document. It reads all style sheets first, because they may follow what they style. Its
// time is linear in the size of the document. Its recursion is safe, because the parser bounds the depth.
func shape(doc *html.Node, e *effort) (string, error) {
	s := shaper{writer: newWriter(e), sheet: newSheet(e), quirks: inQuirksMode(doc)}
	s.base = baseURL(readAhead(doc, s.sheet, ""))
	s.children(doc)
	return s.finish()
}

// readAhead reads what counts wherever it is in the document: the style elements, and the href of the first base
// element. A template is skipped, because browsers ignore its content.
func readAhead(n *html.Node, into *sheet, base string) string {
	for child := n.FirstChild; child != nil && !into.stop(); child = child.NextSibling {
		switch child.DataAtom {
		case atom.Style:
			if child.FirstChild != nil && onScreens(attribute(child, "media")) {
				into.read(child.FirstChild.Data)
			}
		case atom.Base:
			if base == "" {
				base = attribute(child, "href")
			}
		case atom.Template:
		default:
			base = readAhead(child, into, base)
		}
	}
	return base
}

// children walks the children of an element. Visibility and font size hide only text: an element inside may show
// itself again, so the walk goes on.
func (s *shaper) children(n *html.Node) {
	for child := n.FirstChild; child != nil && !s.stop(); child = child.NextSibling {
		s.node(child)
	}
}

// node walks a text or an element.
func (s *shaper) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if !s.inherit.invisible && !s.inherit.tiny {
			s.text(n.Data, s.inherit.lines, s.inherit.pre)
		}
	case html.ElementNode:
		s.element(n)
	}
}

// element walks an element, unless it is invisible to readers.
func (s *shaper) element(n *html.Node) {
	if n.DataAtom == atom.Br {
		s.lineBreak()
		return
	}
	if unseen[n.DataAtom] {
		return
	}
	css := s.sheet.enter(n)
	if !css.hides(n) {
		s.shown(n, css)
	}
	s.sheet.leave()
}

// shown writes an element that readers see, with the line feeds or spaces that separate it from its neighbours.
func (s *shaper) shown(n *html.Node, css style) {
	outer := s.inherit
	switch {
	case n.DataAtom == atom.Pre:
		s.inherit.pre, s.inherit.lines = true, true
	case n.DataAtom == atom.Table && s.quirks: // it inherits neither font size nor white space (HTML 15.3.10)
		s.inherit.tiny, s.inherit.pre, s.inherit.lines = false, false, false
	}
	s.inherit.take(css)
	feeds := feedsAround[n.DataAtom]
	switch {
	case n.DataAtom == atom.P && css.is[noMarginTop] == yes && css.is[noMarginBelow] == yes:
		feeds = 1 // a line, as Word writes it
	case len(s.lists) > 0 && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol):
		feeds = 1 // browsers leave no empty line around a list in a list
	case feeds == 0 && (css.display == displayBlock || outer.stacks):
		feeds = 1 // style makes an inline element a block
	}
	apart := outer.parts || css.is[floats] == yes || css.display == displayInlineBlock || n.DataAtom == atom.Button
	if feeds > 0 {
		s.feed(feeds)
	} else if apart {
		s.apart()
	}
	// A style decides over the element: <s style="text-decoration:none"> is not struck out.
	struck := css.is[strikes] == yes || css.is[strikes] == 0 && struckOut[n.DataAtom]
	script := scriptOf(n.DataAtom, css)
	if script != 0 {
		s.openScript(script)
	}
	if struck && !s.inherit.struck {
		s.inherit.struck = true
		s.openStruck()
		s.content(n)
		s.closeStruck()
	} else {
		s.content(n)
	}
	if script != 0 {
		s.closeScript()
	}
	if feeds > 0 {
		s.endBlock(feeds)
	} else if apart {
		s.apart()
	}
	s.inherit = outer
}

// content writes the content of an element in the form that its kind has in text.
func (s *shaper) content(n *html.Node) {
	switch n.DataAtom {
	case atom.Img, atom.Area:
		s.image(n)
	case atom.A:
		target := s.openLink(attribute(n, "href"))
		s.children(n)
		s.closeLink(target)
	case atom.B, atom.Strong:
		if s.inherit.bold {
			s.children(n)
			return
		}
		s.inherit.bold = true
		s.openBold()
		s.children(n)
		s.closeBold()
	case atom.H1, atom.H2, atom.H3:
		// html2text adds lines to these three. An item of a list would lose its mark there.
		s.inherit.bold = true
		opened := len(s.lists) == 0 && s.openHeading()
		s.children(n)
		if opened {
			s.closeHeading(n.DataAtom)
		}
	case atom.H4, atom.H5, atom.H6:
		s.inherit.bold = true // a heading needs no marks: it is a paragraph of its own
		s.children(n)
	case atom.Blockquote:
		s.openQuote()
		s.children(n)
		s.closeQuote()
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		s.list(n)
	case atom.Li:
		s.item(n)
	case atom.Tr:
		s.tableRow(n)
	case atom.Td, atom.Th:
		s.cell(n)
	case atom.Table:
		s.tableOf(n)
	case atom.Thead, atom.Tbody, atom.Tfoot:
		s.table.grid = grid{} // no rowspan reaches over the end of such a part
		s.children(n)
	default:
		s.children(n)
	}
}

// image writes the alternative text of an image, even where the font is tiny. A tracking pixel is skipped.
func (s *shaper) image(n *html.Node) {
	alt := attribute(n, "alt")
	if s.inherit.invisible || (isPixel(attribute(n, "width")) && isPixel(attribute(n, "height"))) {
		return
	}
	s.apart()
	if n.DataAtom == atom.Area {
		target := s.openLink(attribute(n, "href"))
		defer s.closeLink(target)
	}
	s.text(alt, false, false)
	s.apart()
}

func isPixel(length string) bool {
	length = strings.TrimSuffix(length, "px")
	return length == "0" || length == "1"
}

// unseen are the elements whose content no reader shows.
var unseen = map[atom.Atom]bool{
	atom.Head: true, atom.Style: true, atom.Script: true, atom.Iframe: true, atom.Noscript: true, atom.Noembed: true,
	atom.Noframes: true, atom.Template: true, atom.Title: true,
}

var struckOut = map[atom.Atom]bool{atom.S: true, atom.Del: true, atom.Strike: true}

// feedsAround is the least number of line feeds before and after an element: 2 leave a blank line. An element that is
// missing here is inline.
var feedsAround = map[atom.Atom]int{
	atom.Address: 1, atom.Article: 1, atom.Aside: 1, atom.Caption: 1, atom.Center: 1, atom.Dd: 1, atom.Details: 1,
	atom.Dialog: 1, atom.Div: 1, atom.Dt: 1, atom.Fieldset: 1, atom.Figcaption: 1, atom.Footer: 1, atom.Form: 1,
	atom.Header: 1, atom.Hgroup: 1, atom.Legend: 1, atom.Li: 1, atom.Main: 1, atom.Nav: 1, atom.Optgroup: 1,
	atom.Option: 1, atom.Section: 1, atom.Summary: 1, atom.Td: 1, atom.Th: 1, atom.Tr: 1, atom.Body: 1,
	atom.Blockquote: 2, atom.Dl: 2, atom.Figure: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2,
	atom.H6: 2, atom.Hr: 2, atom.Menu: 2, atom.Ol: 2, atom.P: 2, atom.Pre: 2, atom.Table: 2, atom.Ul: 2, atom.Dir: 2,
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}
