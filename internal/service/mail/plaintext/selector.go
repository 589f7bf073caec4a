package plaintext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// class is a class that selectors name.
type class struct {
	steps []*step // those that are tried for an element of this class
	on    int     // the number of the last element that has it
}

// mostClasses bounds the classes in one part of a selector. A selector with more is ignored.
const mostClasses = 8

// step is one part of a selector, such as p.note in "#main p.note > a", with the part before it.
type step struct {
	element, id string // "" for any
	classes     []*class
	before      *step // nil for the first part
	child       bool  // before must match the parent, not just an ancestor
	rule        *rule // set in the last step of a selector
	specificity int   // of all steps up to here (Selectors 4, section 17): ids, classes and elements in 10 bits each
	// depth is the depth of the innermost open element that matches this step and those before it, or 0. With it, one
	// look decides about an element, however deep that is.
	depth int
}

// parseStep reads one part of a selector. It knows the names of elements, ids and classes. ok is false for anything
// else, such as a pseudo-class or an attribute, and for too many classes.
func (sh *sheet) parseStep(part string) (st *step, ok bool) {
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
			if len(st.classes) == mostClasses {
				return nil, false
			}
			st.classes = append(st.classes, sh.class(name))
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

// isFor reports whether the element that is entered matches the step, and the elements around it the steps before. The
// element has the step's id, because a step with an id is tried for no other element.
func (sh *sheet) isFor(n *html.Node, st *step) bool {
	if st.before != nil && (st.before.depth == 0 || st.child && st.before.depth != sh.depth-1) {
		return false
	}
	return (st.element == "" || st.element == n.Data) &&
		!slices.ContainsFunc(st.classes, func(c *class) bool { return c.on != sh.entered })
}
