package plaintext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shaper walks a parsed tree once and gives what a reader of the HTML sees to a [writer]. What html2text would get
// wrong is settled here: which elements are hidden, where lines end, which cells stand in one row.
type shaper struct {
	writer
	sheet   *sheet
	lists   []list // around
	items   int    // of lists, so far
	row     []cell // the cells so far of the rows around, each row's after those of the rows around it
	table   table
	inherit inherited // of the element that is walked
}

// inherited is what an element hands on to those inside.
type inherited struct {
	invisible bool // visibility: hidden
	tiny      bool // a font of at most 1 px
	lines     bool // white-space keeps line feeds
	pre       bool // a pre element keeps spaces too
	struck    bool // struck out
	bold      bool // inside b or strong, or where these are not marked

	// For children alone: they stand in the row, or in the column, of a flexible box or a grid.
	parts, stacks bool
}

// take takes over what an element's style hands on.
func (i *inherited) take(css style) {
	for _, p := range []struct {
		answer
		to *bool
	}{{css.is[invisible], &i.invisible}, {css.is[tiny], &i.tiny}, {css.is[keepsLines], &i.lines}} {
		if p.answer != 0 {
			*p.to = p.answer == yes
		}
	}
	i.parts = css.is[parts] == yes
	i.stacks = i.parts && css.is[stacks] == yes
}

// shape makes of a document the tree that html2text renders: text whose spaces and line feeds are final, headings and
// quotations. Its time is linear in the size of the document, whose depth the parser bounds.
func shape(doc *html.Node) *html.Node {
	s := shaper{writer: newWriter(), sheet: newSheet()}
	s.base = baseURL(readAhead(doc, s.sheet, ""))
	s.children(doc)
	return s.finish()
}

// readAhead reads what counts wherever it stands: the style elements, and what the first base element says, if none was
// found before.
func readAhead(n *html.Node, into *sheet, base string) string {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
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

func (s *shaper) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.Type {
		case html.TextNode:
			if !s.inherit.invisible && !s.inherit.tiny {
				s.text(child.Data, s.inherit.lines, s.inherit.pre)
			}
		case html.ElementNode:
			s.element(child)
		}
	}
}

// element walks an element, unless no reader shows it.
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

func (s *shaper) shown(n *html.Node, css style) {
	outer := s.inherit
	s.inherit.take(css)
	feeds := feedsAround[n.DataAtom]
	switch {
	case n.DataAtom == atom.P && css.is[noMarginTop] == yes && css.is[noMarginBelow] == yes:
		feeds = 1
	case len(s.lists) > 0 && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol):
		feeds = 1
	case feeds == 0 && (css.display == displayBlock || outer.stacks):
		feeds = 1
	}
	apart := outer.parts || css.is[floats] == yes || css.display == displayInlineBlock || n.DataAtom == atom.Button
	if feeds > 0 {
		s.feed(feeds)
	} else if apart {
		s.apart()
	}
	struck := css.is[strikes] == yes || css.is[strikes] == 0 && struckOut[n.DataAtom]
	if struck && !s.inherit.struck {
		s.inherit.struck = true
		s.openStruck()
		s.content(n)
		s.closeStruck()
	} else {
		s.content(n)
	}
	if feeds > 0 {
		s.endBlock(feeds)
	} else if apart {
		s.apart()
	}
	s.inherit = outer
}

// content writes what stands inside an element.
func (s *shaper) content(n *html.Node) {
	switch n.DataAtom {
	case atom.Img, atom.Area:
		s.image(n)
	case atom.A:
		href := attribute(n, "href")
		s.openLink(href)
		s.children(n)
		s.closeLink(href)
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
		s.inherit.bold = true
		opened := len(s.lists) == 0 && s.openHeading()
		s.children(n)
		if opened {
			s.closeHeading(n.DataAtom)
		}
	case atom.H4, atom.H5, atom.H6:
		s.inherit.bold = true
		s.children(n)
	case atom.Blockquote:
		s.openQuote()
		s.children(n)
		s.closeQuote()
	case atom.Pre:
		s.inherit.pre, s.inherit.lines = true, true
		s.children(n)
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
		s.table.grid = grid{}
		s.children(n)
	default:
		s.children(n)
	}
}

// image writes an image's alternative text, whatever the font is where it stands. A tracking pixel has none to show.
func (s *shaper) image(n *html.Node) {
	alt := attribute(n, "alt")
	if s.inherit.invisible || (isPixel(attribute(n, "width")) && isPixel(attribute(n, "height"))) {
		return
	}
	s.apart()
	if n.DataAtom == atom.Area {
		href := attribute(n, "href")
		s.openLink(href)
		defer s.closeLink(href)
	}
	s.text(alt, false, false)
	s.apart()
}

func isPixel(length string) bool {
	length = strings.TrimSuffix(length, "px")
	return length == "0" || length == "1"
}

// unseen are the elements that no reader shows. (A comment is no element.)
var unseen = map[atom.Atom]bool{
	atom.Head: true, atom.Style: true, atom.Script: true, atom.Iframe: true, atom.Noscript: true, atom.Noembed: true,
	atom.Noframes: true, atom.Template: true, atom.Title: true,
}

var struckOut = map[atom.Atom]bool{atom.S: true, atom.Del: true, atom.Strike: true}

// feedsAround says how many line feeds stand at least before and after an element: 2 leave a blank line.
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
