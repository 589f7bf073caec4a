package changeset

import (
	"slices"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// MaxRelated is how many categories one is related to.
const MaxRelated = 20

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

// Link leads from a category to another one of its portal.
type Link struct {
	Kind   table.RefKind
	Target id.ID
}

// Links are the links that go out from the category.
func (c Category) Links() []Link {
	var links []Link
	if c.Parent != 0 {
		links = append(links, Link{table.Sub, c.Parent})
	}
	if c.Root != 0 {
		links = append(links, Link{table.Assoc, c.Root})
	}
	for _, related := range c.Related {
		links = append(links, Link{table.Related, related})
	}
	return links
}

// without are the links that are not among others.
func without(links, others []Link) []Link {
	return slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return slices.Contains(others, l) })
}

// RemoveFrom takes the link out of the record that it goes out from, where it must stand.
func (l Link) RemoveFrom(u *dynamo.Update) {
	switch l.Kind {
	case table.Sub:
		u.Remove("parent").If("parent = ?", l.Target)
	case table.Assoc:
		u.Remove("root").If("root = ?", l.Target)
	case table.Related:
		u.RemoveExpr("related.$", l.Target.String()).If("attribute_exists(related.$)", l.Target.String())
	}
}

// Equal reports whether two states of a category say the same, times aside.
func (c Category) Equal(d Category) bool {
	return c.Name == d.Name && c.Slug == d.Slug && c.Locale == d.Locale &&
		equalPointers(c.Description, d.Description) && equalPointers(c.Position, d.Position) &&
		c.Parent == d.Parent && c.Root == d.Root && slices.Equal(c.Related, d.Related)
}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
