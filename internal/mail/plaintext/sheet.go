package plaintext

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// sheet has the rules of style elements that hold wherever the mail is shown, and follows a walk through the tree to
// tell for which elements they are. Selectors of elements, ids and classes, their descendants and children are known.
type sheet struct {
	elements, ids, classes map[string][]*step // the steps that are looked at for an element
	steps                  int
	rules                  int
	depth                  int       // of the element that is walked
	opened                 []opening // steps that are for elements around
	matched                []*step   // for the element that is walked
}

// opening is a step that is for an element around, and its depth before.
type opening struct {
	step  *step
	depth int
}

type rule struct {
	declarations
	order int
}

// Bounds, so that no sheet makes each element dear. What is over them is left out.
const (
	mostSteps   = 4096
	mostPerName = 32 // steps that are looked at for one element, id or class
)

func newSheet() *sheet {
	return &sheet{elements: map[string][]*step{}, ids: map[string][]*step{}, classes: map[string][]*step{}}
}

// enter begins an element, and tells its style: by the rules, its own attribute, and what of both is important (CSS
// Cascading 4, section 6).
func (sh *sheet) enter(n *html.Node) (s style) {
	var own declarations
	sh.depth++
	sh.matched = sh.matched[:0]
	outer := len(sh.opened)
	sh.look(sh.elements[n.Data], n)
	for _, a := range n.Attr {
		switch a.Key {
		case "style":
			own.read(a.Val)
		case "hidden":
			s.display = displayNone
		case "id":
			sh.look(sh.ids[a.Val], n)
		case "class":
			if len(sh.classes) > 0 {
				for class := range strings.FieldsSeq(a.Val) {
					sh.look(sh.classes[class], n)
				}
			}
		}
	}
	for _, o := range sh.opened[outer:] {
		o.step.depth = sh.depth
	}
	if len(sh.matched) > 1 {
		slices.SortFunc(sh.matched, func(a, b *step) int {
			return cmp.Or(cmp.Compare(a.specificity, b.specificity), cmp.Compare(a.rule.order, b.rule.order))
		})
	}
	for _, st := range sh.matched {
		s.add(st.rule.normal)
	}
	s.add(own.normal)
	for _, st := range sh.matched {
		s.add(st.rule.important)
	}
	s.add(own.important)
	return s
}

// look looks at steps of selectors for an element.
func (sh *sheet) look(steps []*step, n *html.Node) {
	for _, st := range steps {
		if !st.isFor(n, sh.depth) {
			continue
		}
		if st.rule != nil {
			sh.matched = append(sh.matched, st)
		} else {
			sh.opened = append(sh.opened, opening{st, st.depth})
		}
	}
}

// leave ends the element that was entered last.
func (sh *sheet) leave() {
	last := len(sh.opened) - 1
	for ; last >= 0 && sh.opened[last].step.depth == sh.depth; last-- {
		sh.opened[last].step.depth = sh.opened[last].depth
	}
	sh.opened = sh.opened[:last+1]
	sh.depth--
}

// read takes over the rules of a style element.
func (sh *sheet) read(css string) {
	css = withoutComments(css)
	for {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		selectors := css[:open]
		if i := strings.LastIndexAny(selectors, ";}"); i >= 0 { // after an @import, or the rules of @media
			selectors = selectors[i+1:]
		}
		css = css[open+1:]
		if at, ok := strings.CutPrefix(strings.TrimSpace(selectors), "@"); ok {
			if media, ok := strings.CutPrefix(strings.ToLower(at), "media"); !ok || !onScreens(media) {
				css = css[endOfBlock(css):]
			}
			continue
		}
		end := strings.IndexByte(css, '}')
		if end < 0 {
			return
		}
		r := &rule{order: sh.rules}
		r.read(css[:end])
		if r.declarations != (declarations{}) {
			sh.rules++
			for selector := range strings.SplitSeq(selectors, ",") {
				sh.add(selector, r)
			}
		}
		css = css[end+1:]
	}
}

// onScreens says whether a list of media has all screens, whatever their size.
func onScreens(media string) bool {
	for medium := range strings.SplitSeq(strings.ToLower(media), ",") {
		holds := true
		for condition := range strings.SplitSeq(strings.Join(strings.Fields(medium), " "), " and ") {
			holds = holds && onEachScreen(condition)
		}
		if holds {
			return true
		}
	}
	return false
}

// narrowestScreen is in pixels of CSS: narrower ones have to scroll (WCAG 2.2, success criterion 1.4.10).
const narrowestScreen = 320

func onEachScreen(condition string) bool {
	switch condition {
	case "", "all", "screen", "only screen":
		return true
	}
	feature, value, _ := strings.Cut(strings.Trim(condition, "()"), ":")
	switch strings.TrimSpace(feature) {
	case "min-width", "min-device-width":
		number, unit := length(strings.TrimSpace(value))
		return number == 0 || number > 0 && number <= narrowestScreen && unit == "px"
	}
	return false
}

// add adds a rule for a selector.
func (sh *sheet) add(selector string, r *rule) {
	var last *step
	child := false
	for part := range strings.FieldsSeq(strings.ReplaceAll(selector, ">", " > ")) {
		if part == ">" {
			child = true
			continue
		}
		st, ok := parseStep(part)
		if !ok {
			return
		}
		if last != nil {
			st.specificity += last.specificity
		}
		st.before, st.child = last, child
		last, child = st, false
	}
	if last == nil || child {
		return
	}
	last.rule = r
	for ; last != nil; last = last.before {
		by, name := sh.elements, last.element
		switch {
		case last.id != "":
			by, name = sh.ids, last.id
		case len(last.classes) > 0:
			by, name = sh.classes, last.classes[0]
		}
		if sh.steps == mostSteps || len(by[name]) == mostPerName {
			return
		}
		sh.steps++
		by[name] = append(by[name], last)
	}
}

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
	css = strings.ReplaceAll(strings.ReplaceAll(css, "<!--", ""), "-->", "")
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
