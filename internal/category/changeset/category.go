package changeset

import (
	"slices"
	"time"

	"frontdesk/internal/id"
)

// MaxRelated is how many related categories one category may have. It keeps a change that replaces all of them, by 40
// operations on links and 40 on their targets, below the 100 operations of a DynamoDB transaction.
const MaxRelated = 20

// Category is one category of a portal, as the code works with it. [Record] is how the table stores it.
type Category struct {
	ID          id.ID
	Name        string
	Slug        string
	Locale      string
	Description *string
	Position    *int64

	Parent  id.ID   // 0 means none
	Root    id.ID   // the category that it is associated with; 0 means none
	Related []id.ID // in the order of the request

	CreatedAt time.Time
	UpdatedAt time.Time

	// Unlinked marks a category from an import that has yet to write some of its links.
	Unlinked bool
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
