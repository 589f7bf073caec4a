package plaintext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const unordered = -1

func (s *shaper) list(n *html.Node) {
	number := unordered
	if n.DataAtom == atom.Ol {
		number = 0
		if start, err := strconv.Atoi(attribute(n, "start")); err == nil && start > 0 {
			number = start - 1
		}
	}
	s.lists = append(s.lists, number)
	s.children(n)
	s.lists = s.lists[:len(s.lists)-1]
}

// item writes a list's item. Its mark waits for its first word, so that an empty one leaves nothing.
func (s *shaper) item(n *html.Node) {
	mark := "* "
	if last := len(s.lists) - 1; last >= 0 {
		if s.lists[last] != unordered {
			s.lists[last]++
			mark = strconv.Itoa(s.lists[last]) + ". "
		}
		mark = strings.Repeat("  ", min(last, maxIndent)) + mark
	}
	s.mark = mark
	s.children(n)
	s.mark = ""
}

const maxIndent = 8 // lists inside each other
