package plaintext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// list is a list whose items are being written.
type list struct {
	ordered bool
	number  int    // of the last item
	step    int    // to the next item: 1, or -1 in a reversed list
	kind    string // the type attribute: a, A, i or I; anything else means decimal numbers
}

const maxIndent = 8 // levels of nested lists that are indented further

// list writes the items of a list. number is one step before the first, because each item first adds the step.
func (s *shaper) list(n *html.Node) {
	first, step := 1, 1
	if hasAttribute(n, "reversed") {
		first, step = s.shownItems(n), -1
	}
	if start, ok := number(attribute(n, "start")); ok {
		first = start
	}
	l := list{ordered: n.DataAtom == atom.Ol, number: first - step, step: step, kind: attribute(n, "type")}
	s.lists = append(s.lists, l)
	s.children(n)
	s.lists = s.lists[:len(s.lists)-1]
}

// shownItems counts the items of a list that readers see. The numbers of a reversed list begin with this count.
func (s *shaper) shownItems(list *html.Node) (items int) {
	for item := list.FirstChild; item != nil; item = item.NextSibling {
		if item.DataAtom != atom.Li {
			continue
		}
		if css := s.sheet.enter(item); !css.hides(item) {
			items++
		}
		s.sheet.leave()
	}
	return items
}

// item writes an item of a list. Its mark waits for its first word, so that an empty item leaves nothing. Its number
// counts all the same, as in a browser.
func (s *shaper) item(n *html.Node) {
	mark := "* " // also for an item outside of any list
	if last := len(s.lists) - 1; last >= 0 {
		if l := &s.lists[last]; l.ordered {
			l.number += l.step
			if value, ok := number(attribute(n, "value")); ok {
				l.number = value
			}
			mark = numeral(l.kind, l.number) + ". "
		}
		mark = strings.Repeat("  ", min(last, maxIndent)) + mark
	}
	s.mark = mark
	s.items++
	s.children(n)
	s.mark = ""
}

// number returns the integer in an attribute, and false if it is missing or malformed.
func number(attribute string) (int, bool) {
	if attribute == "" {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(attribute), 10, 32)
	return int(n), err == nil
}

// numeral returns a number in the style of a list (HTML 4.4.5). A number that the style cannot write is decimal.
func numeral(kind string, n int) string {
	switch {
	case kind == "a" && n > 0:
		return alphabetic(n)
	case kind == "A" && n > 0:
		return strings.ToUpper(alphabetic(n))
	case kind == "i" && n > 0 && n < 4000:
		return roman(n)
	case kind == "I" && n > 0 && n < 4000:
		return strings.ToUpper(roman(n))
	}
	return strconv.Itoa(n)
}

// alphabetic returns the nth of a to z, aa, ab and so on.
func alphabetic(n int) string {
	if n == 0 {
		return ""
	}
	return alphabetic((n-1)/26) + string(rune('a'+(n-1)%26))
}

// roman returns a number from 1 to 3999 in lower-case Roman numerals.
func roman(n int) string {
	var written strings.Builder
	for _, sign := range []struct {
		value  int
		letter string
	}{
		{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"},
		{9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"},
	} {
		for ; n >= sign.value; n -= sign.value {
			written.WriteString(sign.letter)
		}
	}
	return written.String()
}
