package plaintext

import (
	"strconv"
	"strings"
)

// style is what the style of an element says about its text. Zero values say nothing.
type style struct {
	display                  display
	visibility, size, lines  choice
	marginTop, marginBottom  choice
	opacity, maxHeight, clip choice
	struck                   choice
}

type display int8

const (
	displayNone display = iota + 1
	displayBlock
	displayInlineBlock
	displayInline
)

// choice is a property of which only one value matters: it is that (zero, hidden, tiny, kept, struck out), or any other.
type choice int8

const (
	zero choice = iota + 1
	more
)

func choose(is bool) choice {
	if is {
		return zero
	}
	return more
}

// hides says whether no reader shows an element of this style. Outlook alone obeys mso-hide: what that hides, such as
// the button that takes the place of one drawn for Outlook, everybody else is shown.
func (s style) hides() bool {
	return s.display == displayNone || s.opacity == zero || s.maxHeight == zero && s.clip == zero
}

func (s style) inherit(to *inherited) {
	for _, p := range []struct {
		choice
		to *bool
	}{{s.visibility, &to.invisible}, {s.size, &to.tiny}, {s.lines, &to.lines}} {
		if p.choice != 0 {
			*p.to = p.choice == zero
		}
	}
}

// declare takes over the declarations of a style attribute or a rule. Later ones win (CSS Cascading 4, section 6).
func (s *style) declare(css string) {
	for css != "" {
		var declaration string
		declaration, css, _ = strings.Cut(css, ";")
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "display":
			s.display = displayOf(valueOf(value))
		case "visibility":
			v := valueOf(value)
			s.visibility = choose(v == "hidden" || v == "collapse")
		case "font-size":
			s.setSize(valueOf(value))
		case "font":
			for _, word := range strings.Fields(valueOf(value)) {
				size, _, _ := strings.Cut(word, "/")
				if number, unit := length(size); unit != "" || number == 0 {
					s.setSize(size)
				}
			}
		case "white-space":
			v := valueOf(value)
			s.lines = choose(strings.HasPrefix(v, "pre") || v == "break-spaces")
		case "margin":
			sides := strings.Fields(valueOf(value))
			if len(sides) > 0 {
				s.marginTop = choose(isZero(sides[0]))
				s.marginBottom = choose(isZero(sides[len(sides)/3*2]))
			}
		case "margin-top":
			s.marginTop = choose(isZero(valueOf(value)))
		case "margin-bottom":
			s.marginBottom = choose(isZero(valueOf(value)))
		case "text-decoration", "text-decoration-line":
			s.struck = choose(strings.Contains(valueOf(value), "line-through"))
		case "opacity":
			s.opacity = choose(isZero(valueOf(value)))
		case "max-height":
			s.maxHeight = choose(isZero(valueOf(value)))
		case "overflow":
			s.clip = choose(valueOf(value) == "hidden")
		}
	}
}

func valueOf(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), "!")
	return strings.TrimSpace(s)
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

// setSize takes over a font size. One relative to what is around changes nothing, unless it is 0.
func (s *style) setSize(value string) {
	number, unit := length(value)
	switch {
	case number == 0, number > 0 && number <= 1 && (unit == "px" || unit == ""):
		s.size = zero
	case number > 0 && unit != "em" && unit != "%", value == "medium", value == "small", value == "large":
		s.size = more
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
