package plaintext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// list is a list that is walked.
type list struct {
	ordered bool
	number  int    // of the last item
	step    int    // to the next: 1, or -1 where items are counted down
	kind    string // of the numbers: a, A, i, I, or any other for decimal ones
}

const maxIndent = 8 // lists inside each other

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

// shownItems counts a list's items, without those that no reader shows: a reversed list begins with their number.
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

// item writes a list's item. Its mark waits for its first word, so that an empty one leaves nothing.
func (s *shaper) item(n *html.Node) {
	mark := "* "
	if last := len(s.lists) - 1; last >= 0 {
		if l := &s.lists[last]; l.ordered {
			l.number += l.step
			if own, ok := number(attribute(n, "value")); ok {
				l.number = own
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

func number(attribute string) (int, bool) {
	if attribute == "" {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(attribute), 10, 32)
	return int(n), err == nil
}

// numeral writes a number as a type of list does (HTML 4.4.5); one that it has no signs for is decimal.
func numeral(kind string, n int) string {
	switch {
	case kind == "a" && n > 0:
		return letters(n)
	case kind == "A" && n > 0:
		return strings.ToUpper(letters(n))
	case kind == "i" && n > 0 && n < 4000:
		return roman(n)
	case kind == "I" && n > 0 && n < 4000:
		return strings.ToUpper(roman(n))
	}
	return strconv.Itoa(n)
}

// letters counts a to z, aa, ab and so on.
func letters(n int) string {
	if n == 0 {
		return ""
	}
	return letters((n-1)/26) + string(rune('a'+(n-1)%26))
}

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
