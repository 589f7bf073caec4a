package plaintext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// style is what CSS says about the text of an element. A zero value means that it says nothing.
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

// property is a yes-or-no question about an element that CSS answers.
type property int

const (
	invisible     property = iota
	tiny                   // has a font of at most 1 px
	keepsLines             // white-space keeps line feeds
	keepsSpaces            // white-space keeps spaces
	noMarginTop            // the margin is 0 or nearly 0
	noMarginBelow          // as noMarginTop
	transparent
	noHeight
	noMaxHeight
	clips         // hides what overflows below
	scrollsAcross // scrolls or hides what overflows at the side; this clips below too (CSS Overflow 3, section 3.1)
	floats        // to either side
	strikes       // strikes its text out
	parts         // separates its children, as a flexible box or a grid does
	stacks        // puts its children into a column
	isRaised      // stands above the line
	isLowered     // stands below it
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

// declarations are what a style attribute or a rule says. What is marked !important is kept apart, because it wins
// over the rest.
type declarations struct{ normal, important style }

// hides reports whether readers do not see an element of this style. A box of height 0 still shows its content,
// unless it clips what overflows. mso-hide is ignored, because only Outlook obeys it: it often hides the HTML twin of
// a button that is drawn for Outlook.
func (s *style) hides(n *html.Node) bool {
	cropped := (s.is[clips] == yes || s.is[scrollsAcross] == yes) && (s.is[noHeight] == yes || s.is[noMaxHeight] == yes)
	return s.display == displayNone || s.is[transparent] == yes || cropped && s.isBox(n)
}

// isBox reports whether an element has a height of its own. Inline elements have none. A cell is as high as its text,
// unless it is displayed as a block.
func (s *style) isBox(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		return s.display == displayBlock || s.display == displayInlineBlock
	}
	return s.display != displayInline && (s.display != 0 || feedsAround[n.DataAtom] > 0 || s.is[floats] == yes)
}

// add applies what another style says on top.
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

// read applies declarations. The last one of a property wins.
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

// says has the CSS properties that affect text. Each function applies a value, which is in lower case.
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
		for word := range strings.FieldsSeq(value) { // only the size has a unit, or is 0
			size, _, _ := strings.Cut(word, "/") // without the line height
			if number, unit := length(size); unit != "" || number == 0 {
				s.setSize(size)
			}
		}
	},
	"white-space": func(s *style, value string) {
		s.is[keepsLines] = answerOf(strings.HasPrefix(value, "pre") || value == "break-spaces")
		s.is[keepsSpaces] = answerOf(s.is[keepsLines] == yes && value != "pre-line")
	},
	"vertical-align": func(s *style, value string) {
		height, _ := length(value)
		s.is[isRaised] = answerOf(height > 0 || value == "super" || value == "top" || value == "text-top")
		s.is[isLowered] = answerOf(value == "sub")
	},
	"margin": func(s *style, value string) {
		if sides := strings.Fields(value); len(sides) > 0 {
			s.is[noMarginTop] = answerOf(isZero(sides[0]))
			// The bottom is the third of three or four sides; one or two sides name it with the top.
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

// displayOf reads a display value. A cell or an inline box stays on the line, but is apart from its neighbours.
// Unknown values count as inline.
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

// scrolls reports whether an overflow can be scrolled, even if only by a script.
func scrolls(overflow string) bool {
	return overflow == "hidden" || overflow == "auto" || overflow == "scroll"
}

// setSize applies a font size. A relative size, unless it is 0, leaves the inherited answer as it is.
func (s *style) setSize(value string) {
	number, unit := length(value)
	switch {
	case number == 0, number > 0 && number <= 1 && (unit == "px" || unit == ""):
		s.is[tiny] = yes
	case number > 0 && unit != "em" && unit != "%", value == "medium", value == "small", value == "large":
		s.is[tiny] = no
	}
}

// isZero reports whether a length is 0 or nearly 0: Word writes .0001pt.
func isZero(value string) bool {
	number, _ := length(value)
	return number >= 0 && number < 0.01
}

// length reads a number with its unit. The number is -1 if there is none.
func length(value string) (number float64, unit string) {
	digits := strings.TrimLeft(value, "0123456789.")
	number, err := strconv.ParseFloat(value[:len(value)-len(digits)], 64)
	if err != nil {
		return -1, ""
	}
	return number, digits
}
