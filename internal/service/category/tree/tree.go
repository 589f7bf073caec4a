// Package tree has the categories of one portal as a value, without a table: their order (place.go), the pages of
// their list (page.go), what leads to each and what is above it (tree.go), and how an answer shows them (view.go).
package tree

import (
	"slices"

	"frontdesk/internal/base/id"
)

// Tree holds categories of one portal, and the links between them. The zero Tree is empty. It may hold only some of
// the portal's categories: one that it does not hold counts as gone.
type Tree struct {
	categories       map[id.ID]*Category
	subs, associated map[id.ID][]id.ID // by the category that the links lead to, in the order of ids
}

// LinkKind is a kind of link that a category shows at its other end.
type LinkKind string

// The kinds of link: from a sub-category to its parent, and from an associated category to its root.
const (
	Sub   LinkKind = "SUB"
	Assoc LinkKind = "ASSOC"
)

// Put adds a category, or replaces it. [Tree.AddLink] adds what leads to it.
func (t *Tree) Put(c Category) { t.put(&c) }

func (t *Tree) put(c *Category) {
	if t.categories == nil {
		t.categories = map[id.ID]*Category{}
	}
	t.categories[c.ID] = c
}

// putWithLinks also adds the category to what leads to its parent and to its root.
func (t *Tree) putWithLinks(c *Category) {
	t.put(c)
	t.AddLink(c.Parent, Sub, c.ID)
	t.AddLink(c.Root, Assoc, c.ID)
}

// AddLink adds that a link of the source leads to the target; the target 0 means no link. Ids ascend with the time of
// creation, so a category's list of such links is in the order of creation.
func (t *Tree) AddLink(target id.ID, kind LinkKind, source id.ID) {
	if target == 0 {
		return
	}
	if t.subs == nil {
		t.subs, t.associated = map[id.ID][]id.ID{}, map[id.ID][]id.ID{}
	}
	sources := t.subs
	if kind == Assoc {
		sources = t.associated
	}
	at, there := slices.BinarySearch(sources[target], source)
	if !there {
		sources[target] = slices.Insert(sources[target], at, source)
	}
}

// Get returns a category that the tree holds.
func (t *Tree) Get(category id.ID) (c Category, held bool) {
	if found := t.categories[category]; found != nil {
		return *found, true
	}
	return Category{}, false
}

// Has reports whether the tree holds a category.
func (t *Tree) Has(category id.ID) bool { return t.categories[category] != nil }

// Living returns a category without its links to categories that the tree does not hold.
func (t *Tree) Living(c Category) Category {
	gone := func(target id.ID) bool { return !t.Has(target) }
	if gone(c.Parent) {
		c.Parent = 0
	}
	if gone(c.Root) {
		c.Root = 0
	}
	c.Related = slices.DeleteFunc(slices.Clone(c.Related), gone)
	return c
}

// Line returns a category and those above it, the nearest first, as far as the tree holds them. next is the first one
// that it does not hold, 0 at a root. Reads at different moments may seem to show a circle: the line ends where it
// would close.
func (t *Tree) Line(category id.ID) (line []id.ID, next id.ID) {
	for category != 0 && !slices.Contains(line, category) {
		c := t.categories[category]
		if c == nil {
			return line, category
		}
		line = append(line, category)
		category = c.Parent
	}
	return line, 0
}
