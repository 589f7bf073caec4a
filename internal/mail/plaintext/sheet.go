package plaintext

import (
	"strings"

	"golang.org/x/net/html"
)

// sheet has the rules of style elements for one class, with or without the name of an element (".hidden", "p.note"),
// that hold wherever the mail is shown: those of @media are left out.
type sheet map[string][]rule

type rule struct {
	element string // "" for any
	style
}

// of is the style of an element: that of its classes and then that of its own attribute.
func (sh sheet) of(n *html.Node) (s style) {
	own := ""
	for _, a := range n.Attr {
		switch a.Key {
		case "style":
			own = a.Val
		case "hidden":
			s.display = displayNone
		case "class":
			if len(sh) == 0 {
				continue
			}
			for class := range strings.FieldsSeq(a.Val) {
				for _, r := range sh[class] {
					if r.element == "" || r.element == n.Data {
						s.add(r.style)
					}
				}
			}
		}
	}
	s.declare(own)
	return s
}

// add takes over what another style says.
func (s *style) add(o style) {
	if o.display != 0 {
		s.display = o.display
	}
	for _, p := range []struct{ to, from *choice }{
		{&s.visibility, &o.visibility}, {&s.size, &o.size}, {&s.lines, &o.lines},
		{&s.marginTop, &o.marginTop}, {&s.marginBottom, &o.marginBottom},
		{&s.opacity, &o.opacity}, {&s.maxHeight, &o.maxHeight}, {&s.clip, &o.clip}, {&s.struck, &o.struck},
	} {
		if *p.from != 0 {
			*p.to = *p.from
		}
	}
}

// read takes over the rules of a style element.
func (sh sheet) read(css string) {
	css = withoutComments(css)
	for {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		selectors := css[:open]
		if i := strings.LastIndexAny(selectors, ";}"); i >= 0 { // after an @import
			selectors = selectors[i+1:]
		}
		css = css[open+1:]
		if strings.HasPrefix(strings.TrimSpace(selectors), "@") {
			css = css[endOfBlock(css):]
			continue
		}
		end := strings.IndexByte(css, '}')
		if end < 0 {
			return
		}
		var s style
		if s.declare(css[:end]); s != (style{}) {
			for selector := range strings.SplitSeq(selectors, ",") {
				element, class, ok := strings.Cut(strings.TrimSpace(selector), ".")
				if ok && class != "" && !strings.ContainsAny(class, " \t\n.:>+~[#*") && isName(element) {
					sh.add(class, rule{strings.ToLower(element), s})
				}
			}
		}
		css = css[end+1:]
	}
}

// add adds a rule. A class has at most a few, so that no sheet makes each of its elements dear.
func (sh sheet) add(class string, r rule) {
	const most = 8
	for i, other := range sh[class] {
		if other.element == r.element {
			sh[class][i].add(r.style)
			return
		}
	}
	if len(sh[class]) < most {
		sh[class] = append(sh[class], r)
	}
}

func isName(s string) bool { return !strings.ContainsAny(s, " \t\n:>+~[#*") }

// endOfBlock is how long the block of braces is that was opened just before.
func endOfBlock(css string) int {
	depth := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(css)
}

// withoutComments leaves out comments, and the marks that hide a sheet from readers of HTML 3.
func withoutComments(css string) string {
	css = strings.NewReplacer("<!--", "", "-->", "").Replace(css)
	if !strings.Contains(css, "/*") {
		return css
	}
	var kept strings.Builder
	for css != "" {
		before, after, _ := strings.Cut(css, "/*")
		kept.WriteString(before)
		_, css, _ = strings.Cut(after, "*/")
	}
	return kept.String()
}
