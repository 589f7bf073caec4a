package tree

import (
	"slices"
	"time"

	"frontdesk/internal/base/id"
)

// MaxRelated is how many related categories one category may have. Each is a condition of the transaction that writes
// the category.
const MaxRelated = 20

// Category is one category of a portal. Its links may lead to categories that are gone: such a link counts as none.
type Category struct {
	ID          id.ID   `dynamo:"id"`
	Name        string  `dynamo:"name"`
	Slug        string  `dynamo:"slug"`
	Locale      string  `dynamo:"locale"` // in the normal form of a locale
	Description *string `dynamo:"description,allowempty"`
	Position    *int64  `dynamo:"position"`

	Parent  id.ID   `dynamo:"parent,omitempty"`  // 0 means none
	Root    id.ID   `dynamo:"root,omitempty"`    // the category that it is associated with; 0 means none
	Related []id.ID `dynamo:"related,omitempty"` // in the order of the request

	CreatedAt time.Time `dynamo:"created_at"`
	UpdatedAt time.Time `dynamo:"updated_at"`
}

// Equal reports whether two states of a category have the same fields and links. It ignores times.
func (c Category) Equal(d Category) bool {
	return c.Name == d.Name && c.Slug == d.Slug && c.Locale == d.Locale &&
		equalPointers(c.Description, d.Description) && equalPointers(c.Position, d.Position) &&
		c.Parent == d.Parent && c.Root == d.Root && slices.Equal(c.Related, d.Related)
}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Linked returns the categories that the category links to. One that it links to twice is there twice.
func (c Category) Linked() []id.ID {
	targets := slices.Clone(c.Related)
	for _, target := range []id.ID{c.Parent, c.Root} {
		if target != 0 {
			targets = append(targets, target)
		}
	}
	return targets
}
