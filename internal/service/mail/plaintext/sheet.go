package plaintext

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// sheet has the rules of the style elements that hold wherever the mail is shown. It follows a walk through the tree,
// and so knows which rules match an element. It supports selectors of elements, ids and classes with the descendant
// and the child combinator.
type sheet struct {
	*effort
	elements, ids map[string][]*step // the steps to try for an element, by a name that they require
	classes       map[string]*class  // all classes that selectors name
	filed         int                // steps in all of them
	rules         int
	depth         int       // of the current element
	entered       int       // number of elements so far
	opened        []opening // steps that open elements have matched
	has           []*class  // classes of the current element, each once
	matched       []*step   // last steps that the current element matches
}

// opening is a step that an open element has matched, and the depth to restore when the element ends.
type opening struct {
	step  *step
	depth int
}

// rule is what a rule of a sheet declares, with its place in the order of all rules.
type rule struct {
	declarations
	order int
}

// Bounds that keep the cost of each element small, whatever the sheet. Steps beyond them are ignored.
const (
	mostSteps   = 4096
	mostPerName = 32 // steps for one element, id or class
)

func newSheet(e *effort) *sheet {
	return &sheet{effort: e, elements: map[string][]*step{}, ids: map[string][]*step{}, classes: map[string]*class{}}
}

// class returns the class of a name that a selector has.
func (sh *sheet) class(name string) *class {
	c := sh.classes[name]
	if c == nil {
		c = &class{}
		sh.classes[name] = c
	}
	return c
}

// enter begins an element and returns its style. The order is that of CSS Cascading 4, section 6: the rules, the
// style attribute, then what is important in the rules and in the attribute.
func (sh *sheet) enter(n *html.Node) (s style) {
	var inline declarations
	inline.read(attribute(n, "style"))
	if hasAttribute(n, "hidden") { // every rule wins over the attribute
		s.display = displayNone
	}
	sh.depth++
	sh.entered++
	sh.matched = sh.matched[:0]
	outer := len(sh.opened)
	sh.readClasses(attribute(n, "class"))
	sh.look(sh.elements[n.Data], n)
	sh.look(sh.ids[attribute(n, "id")], n)
	for _, c := range sh.has {
		sh.look(c.steps, n)
	}
	// Only now: while the element is matched, the depths must be those of the elements around it.
	for _, o := range sh.opened[outer:] {
		o.step.depth = sh.depth
	}
	// The rule that wins comes last, as each one is applied on top of those before.
	if len(sh.matched) > 1 {
		slices.SortFunc(sh.matched, func(a, b *step) int {
			return cmp.Or(cmp.Compare(a.specificity, b.specificity), cmp.Compare(a.rule.order, b.rule.order))
		})
	}
	for _, st := range sh.matched {
		s.add(st.rule.normal)
	}
	s.add(inline.normal)
	for _, st := range sh.matched {
		s.add(st.rule.important)
	}
	s.add(inline.important)
	return s
}

// readClasses finds which classes of the sheet the element has that is entered. A class that is repeated counts once.
func (sh *sheet) readClasses(attribute string) {
	sh.has = sh.has[:0]
	if len(sh.classes) == 0 {
		return
	}
	for name := range strings.FieldsSeq(attribute) {
		if sh.stop() {
			return
		}
		if c := sh.classes[name]; c != nil && c.on != sh.entered {
			c.on = sh.entered
			sh.has = append(sh.has, c)
		}
	}
}

// look tries steps of selectors on an element. If it was the last step of a selector, the rule holds; otherwise later
// steps may match inside the element.
func (sh *sheet) look(steps []*step, n *html.Node) {
	for _, st := range steps {
		if sh.stop() {
			return
		}
		if !sh.isFor(n, st) {
			continue
		}
		if st.rule != nil {
			sh.matched = append(sh.matched, st)
		} else {
			sh.opened = append(sh.opened, opening{st, st.depth})
		}
	}
}

// leave ends the element that was entered last, and restores the steps that it had matched.
func (sh *sheet) leave() {
	last := len(sh.opened) - 1
	for ; last >= 0 && sh.opened[last].step.depth == sh.depth; last-- {
		sh.opened[last].step.depth = sh.opened[last].depth
	}
	sh.opened = sh.opened[:last+1]
	sh.depth--
}

// read adds the rules of a style element. It skips @-rules with their blocks, but it enters an @media that has all
// screens: the rules inside are then read like any others, and its closing brace is dropped with the next selector.
func (sh *sheet) read(css string) {
	css = withoutComments(css)
	for !sh.stop() {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		selectors := css[:open]
		if i := strings.LastIndexAny(selectors, ";}"); i >= 0 { // the end of an @import or of an @media block
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
		if r.declarations != (declarations{}) { // most rules are about colours and sizes, and take no steps
			sh.rules++
			for selector := range strings.SplitSeq(selectors, ",") {
				sh.add(selector, r)
			}
		}
		css = css[end+1:]
	}
}

// onScreens reports whether a list of media includes all screens, whatever their size.
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

// narrowestScreen is the least width of a screen in CSS pixels. On narrower ones a page may need scrolling in two
// directions (WCAG 2.2, success criterion 1.4.10).
const narrowestScreen = 320

// onEachScreen reports whether a media condition holds on every screen.
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

// add adds a rule for a selector. It ignores a selector with a part that parseStep does not know.
func (sh *sheet) add(selector string, r *rule) {
	var last *step
	child := false
	for part := range strings.FieldsSeq(strings.ReplaceAll(selector, ">", " > ")) {
		if sh.stop() {
			return
		}
		if part == ">" {
			child = true
			continue
		}
		st, ok := sh.parseStep(part)
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
	// File each step under its id, or else its first class, or else its element. If a bound is reached here, the
	// later steps are filed already. They never match, because the step before them is missing.
	last.rule = r
	for ; last != nil; last = last.before {
		if sh.filed == mostSteps {
			return
		}
		var filed bool
		switch {
		case last.id != "":
			sh.ids[last.id], filed = file(sh.ids[last.id], last)
		case len(last.classes) > 0:
			c := last.classes[0]
			c.steps, filed = file(c.steps, last)
		default:
			sh.elements[last.element], filed = file(sh.elements[last.element], last)
		}
		if !filed {
			return
		}
		sh.filed++
	}
}

// file adds a step to those of one name. filed is false if there are too many.
func file(steps []*step, st *step) (with []*step, filed bool) {
	if len(steps) == mostPerName {
		return steps, false
	}
	return append(steps, st), true
}

// endOfBlock returns the length of the rest of a block whose opening brace was just read.
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

// withoutComments removes comments, and the marks <!-- and --> that once hid a sheet from old browsers.
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
