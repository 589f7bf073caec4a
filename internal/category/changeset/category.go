package changeset

import (
	"slices"
	"time"

	"frontdesk/internal/id"
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

	// Unlinked says that who has created the category, which is an import, has yet to write some of its links.
	Unlinked bool
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
