package plaintext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// step is one part of a selector, such as p.note in "#main p.note > a", and what has to be found before it.
type step struct {
	element, id string // "" for any
	classes     []string
	before      *step // nil for the first
	child       bool  // before is for the parent, not for any ancestor
	rule        *rule // of the last step
	specificity int   // of all steps up to here (Selectors 4, section 17)
	// depth is where the innermost element around stands that this step and those before it are for; 0 if none is. So
	// a selector takes one look at an element, however deep that stands.
	depth int
}

// parseStep reads a part of a selector: names of an element, an id and classes, and no more.
func parseStep(part string) (st *step, ok bool) {
	st = &step{}
	for part != "" {
		kind := part[0]
		if kind == '.' || kind == '#' {
			part = part[1:]
		}
		end := strings.IndexAny(part, ".#")
		if end < 0 {
			end = len(part)
		}
		name := part[:end]
		part = part[end:]
		switch {
		case name == "" || strings.ContainsAny(name, ":[]()+~*\\|&>"):
			return nil, false
		case kind == '.':
			st.classes = append(st.classes, name)
			st.specificity += 1 << 10
		case kind == '#':
			st.id = name
			st.specificity += 1 << 20
		default:
			st.element = strings.ToLower(name)
			st.specificity++
		}
	}
	return st, true
}

// isFor says whether an element matches the step, whose depth in the tree is given, and those around it the
// steps before.
func (st *step) isFor(n *html.Node, depth int) bool {
	if st.before != nil && (st.before.depth == 0 || st.child && st.before.depth != depth-1) {
		return false
	}
	if st.element != "" && st.element != n.Data || st.id != "" && st.id != attribute(n, "id") {
		return false
	}
	for _, class := range st.classes {
		if !slices.Contains(strings.Fields(attribute(n, "class")), class) {
			return false
		}
	}
	return true
}
