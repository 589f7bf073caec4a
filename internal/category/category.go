// Package category is the help center's categories: a tree with cross links inside each portal, for agents
// who are the portal's members.
//
// A category's own record holds the links that go out from it; each has a record of its own as well, beside
// the category that it leads to, and is counted there. The three change together or not at all: edit.go sees
// to that, and create, update and delete say only what changes.
package category

import (
	"slices"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Limits of a category.
const (
	MaxName        = 255    // characters
	MaxSlug        = 255    // bytes
	MaxDescription = 10_000 // characters
	MaxRelated     = 20     // categories that one is related to
	MaxAncestors   = 50     // above a category that moves; one that is created may be deeper
)

// Category is one category of a portal.
type Category struct {
	ID          id.ID
	Name        string
	Slug        string
	Locale      string
	Description *string
	Position    *int64

	Parent  id.ID   // 0 for none
	Root    id.ID   // the category that it is associated with, 0 for none
	Related []id.ID // in the order in which they were given

	CreatedAt time.Time
	UpdatedAt time.Time
}

// link leads from a category to another one of its portal.
type link struct {
	kind   table.RefKind
	target id.ID
}

// links are the links that go out from the category.
func (c Category) links() []link {
	var links []link
	if c.Parent != 0 {
		links = append(links, link{table.Sub, c.Parent})
	}
	if c.Root != 0 {
		links = append(links, link{table.Assoc, c.Root})
	}
	for _, related := range c.Related {
		links = append(links, link{table.Related, related})
	}
	return links
}

// without are the links that are not among others.
func without(links, others []link) []link {
	return slices.DeleteFunc(slices.Clone(links), func(l link) bool { return slices.Contains(others, l) })
}

// equal reports whether two states of a category say the same, times aside.
func (c Category) equal(d Category) bool {
	return c.Name == d.Name && c.Slug == d.Slug && c.Locale == d.Locale &&
		equalPointers(c.Description, d.Description) && equalPointers(c.Position, d.Position) &&
		c.Parent == d.Parent && c.Root == d.Root && slices.Equal(c.Related, d.Related)
}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
