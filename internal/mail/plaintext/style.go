package plaintext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// style is what the style of an element says about its text. Zero values say nothing.
type style struct {
	display display
	is      [properties]answer
}

type display int8

const (
	displayNone display = iota + 1
	displayBlock
	displayInlineBlock
	displayInline
)

// property is a question to a property of CSS.
type property int

const (
	invisible     property = iota
	tiny                   // of a font of at most 1 px
	keepsLines             // by white-space
	noMarginTop            // none, or as good as none
	noMarginBelow          // likewise
	transparent
	noHeight
	noMaxHeight
	clips         // what overflows below
	scrollsAcross // what overflows at the side, or hides it, which clips below as well (CSS Overflow 3, section 3.1)
	floats        // to either side
	strikes       // its text out
	parts         // its children, which stand in the row of a flexible box or a grid
	stacks        // its children, which stand in a column
	properties
)

type answer int8

const (
	yes answer = iota + 1
	no
)

func answerOf(is bool) answer {
	if is {
		return yes
	}
	return no
}

// declarations are what a style attribute or a rule says, and what of it is important.
type declarations struct{ normal, important style }

// hides says whether no reader shows an element of this style. Outlook alone obeys mso-hide: what that hides, such as
// the button that takes the place of one drawn for Outlook, everybody else is shown.
func (s *style) hides(n *html.Node) bool {
	cropped := (s.is[clips] == yes || s.is[scrollsAcross] == yes) && (s.is[noHeight] == yes || s.is[noMaxHeight] == yes)
	return s.display == displayNone || s.is[transparent] == yes || cropped && s.isBox(n)
}

// isBox says whether an element has a height of its own: words in a line have none, and a cell is as high as its text.
func (s *style) isBox(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		return s.display == displayBlock || s.display == displayInlineBlock
	}
	return s.display != displayInline && (s.display != 0 || feedsAround[n.DataAtom] > 0 || s.is[floats] == yes)
}

// add takes over what another style says.
func (s *style) add(o style) {
	if o.display != 0 {
		s.display = o.display
	}
	for p, answer := range o.is {
		if answer != 0 {
			s.is[p] = answer
		}
	}
}

// read takes over declarations. Later ones win.
func (d *declarations) read(css string) {
	for css != "" {
		var declaration string
		declaration, css, _ = strings.Cut(css, ";")
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		say := says[strings.ToLower(strings.TrimSpace(name))]
		if say == nil {
			continue
		}
		to := &d.normal
		value, flag, _ := strings.Cut(strings.ToLower(value), "!")
		if strings.TrimSpace(flag) == "important" {
			to = &d.important
		}
		say(to, strings.TrimSpace(value))
	}
}

// says are the properties of CSS that say something about text, and what, given a value in lower case.
var says = map[string]func(s *style, value string){
	"display": func(s *style, value string) {
		s.display = displayOf(value)
		s.is[parts] = answerOf(strings.HasSuffix(value, "flex") || strings.HasSuffix(value, "grid"))
	},
	"flex-direction": (*style).setDirection,
	"flex-flow":      (*style).setDirection,
	"float":          func(s *style, value string) { s.is[floats] = answerOf(value != "none") },
	"visibility": func(s *style, value string) {
		s.is[invisible] = answerOf(value == "hidden" || value == "collapse")
	},
	"font-size": (*style).setSize,
	"font": func(s *style, value string) {
		for word := range strings.FieldsSeq(value) {
			size, _, _ := strings.Cut(word, "/")
			if number, unit := length(size); unit != "" || number == 0 {
				s.setSize(size)
			}
		}
	},
	"white-space": func(s *style, value string) {
		s.is[keepsLines] = answerOf(strings.HasPrefix(value, "pre") || value == "break-spaces")
	},
	"margin": func(s *style, value string) {
		if sides := strings.Fields(value); len(sides) > 0 {
			s.is[noMarginTop] = answerOf(isZero(sides[0]))
			s.is[noMarginBelow] = answerOf(isZero(sides[len(sides)/3*2]))
		}
	},
	"margin-top":           func(s *style, value string) { s.is[noMarginTop] = answerOf(isZero(value)) },
	"margin-bottom":        func(s *style, value string) { s.is[noMarginBelow] = answerOf(isZero(value)) },
	"text-decoration":      (*style).setDecoration,
	"text-decoration-line": (*style).setDecoration,
	"opacity":              func(s *style, value string) { s.is[transparent] = answerOf(isZero(value)) },
	"height":               func(s *style, value string) { s.is[noHeight] = answerOf(isZero(value)) },
	"max-height":           func(s *style, value string) { s.is[noMaxHeight] = answerOf(isZero(value)) },
	"overflow": func(s *style, value string) {
		if axes := strings.Fields(value); len(axes) > 0 {
			s.is[scrollsAcross] = answerOf(scrolls(axes[0]))
			s.is[clips] = answerOf(scrolls(axes[len(axes)-1]) || axes[len(axes)-1] == "clip")
		}
	},
	"overflow-x": func(s *style, value string) { s.is[scrollsAcross] = answerOf(scrolls(value)) },
	"overflow-y": func(s *style, value string) { s.is[clips] = answerOf(scrolls(value) || value == "clip") },
}

func (s *style) setDirection(value string) {
	s.is[stacks] = answerOf(strings.Contains(value, "column"))
}
func (s *style) setDecoration(value string) {
	s.is[strikes] = answerOf(strings.Contains(value, "line-through"))
}

func displayOf(value string) display {
	switch value {
	case "none":
		return displayNone
	case "inline-block", "inline-table", "inline-flex", "inline-grid", "table-cell":
		return displayInlineBlock
	case "block", "table", "flex", "grid", "list-item", "table-row", "flow-root":
		return displayBlock
	}
	return displayInline
}

// scrolls says whether an overflow can be scrolled, be it by a script alone.
func scrolls(overflow string) bool {
	return overflow == "hidden" || overflow == "auto" || overflow == "scroll"
}

// setSize takes over a font size. One relative to what is around changes nothing, unless it is 0.
func (s *style) setSize(value string) {
	number, unit := length(value)
	switch {
	case number == 0, number > 0 && number <= 1 && (unit == "px" || unit == ""):
		s.is[tiny] = yes
	case number > 0 && unit != "em" && unit != "%", value == "medium", value == "small", value == "large":
		s.is[tiny] = no
	}
}

// isZero says whether a length is none, or as good as none: Word writes .0001pt.
func isZero(value string) bool {
	number, _ := length(value)
	return number >= 0 && number < 0.01
}

// length reads a number with its unit; the number is -1 if there is none.
func length(value string) (number float64, unit string) {
	digits := strings.TrimLeft(value, "0123456789.")
	number, err := strconv.ParseFloat(value[:len(value)-len(digits)], 64)
	if err != nil {
		return -1, ""
	}
	return number, digits
}
