package changeset

import (
	"maps"
	"slices"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Record is a category as the table holds it.
type Record struct {
	table.Key
	ID          id.ID   `dynamo:"id"`
	Name        string  `dynamo:"name"`
	Slug        string  `dynamo:"slug"`
	Locale      string  `dynamo:"locale"`
	Description *string `dynamo:"description,allowempty"`
	Position    *int64  `dynamo:"position"`
	Parent      id.ID   `dynamo:"parent,omitempty"`
	Root        id.ID   `dynamo:"root,omitempty"`
	// Related maps each related category to its index in the list. So an update can remove one without knowing
	// the others.
	Related   map[string]int `dynamo:"related,allowempty"`
	CreatedAt time.Time      `dynamo:"created_at"`
	UpdatedAt time.Time      `dynamo:"updated_at"`

	// Version rises with every change of the fields above. Updates have it as their condition (optimistic locking).
	Version int64 `dynamo:"version"`
	// Incoming counts the links that lead here. It changes without a new version, so that a new link does not disturb
	// an update.
	Incoming int64 `dynamo:"incoming"`
	// Left is the sort key of a place in the list that the category has left and that still exists; "" means none. See
	// [ChangeSet.Reorder]. It may go without a new version.
	Left string `dynamo:"left_place,omitempty"`
	// Unlinked is that of [Category].
	Unlinked bool `dynamo:"unlinked,omitempty"`
	// Deleting says that a deletion of the category has begun to end the links to it. It gets no new ones.
	Deleting bool `dynamo:"deleting,omitempty"`
}

// NewRecord returns the record of a new category that nothing links to.
func NewRecord(p table.Portal, c Category) Record {
	return Record{
		Key: p.Category(c.ID), ID: c.ID, Name: c.Name, Slug: c.Slug, Locale: c.Locale, Description: c.Description,
		Position: c.Position, Parent: c.Parent, Root: c.Root, Related: indexes(c.Related),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Version: 1, Unlinked: c.Unlinked,
	}
}

// Category returns the category that the record holds.
func (r Record) Category() Category {
	return Category{
		ID: r.ID, Name: r.Name, Slug: r.Slug, Locale: r.Locale, Description: r.Description, Position: r.Position,
		Parent: r.Parent, Root: r.Root, Related: byIndex(r.Related), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		Unlinked: r.Unlinked,
	}
}

// indexes maps each related category to its index. DynamoDB's maps have strings as names.
func indexes(related []id.ID) map[string]int {
	of := make(map[string]int, len(related))
	for i, r := range related {
		of[r.String()] = i
	}
	return of
}

// byIndex returns the list that indexes has mapped. Indexes of categories that were removed since are missing, so there
// may be gaps.
func byIndex(indexes map[string]int) []id.ID {
	var related []id.ID
	byIndex := func(a, b string) int { return indexes[a] - indexes[b] }
	for _, name := range slices.SortedFunc(maps.Keys(indexes), byIndex) {
		if r, ok := id.Parse(name); ok {
			related = append(related, r)
		}
	}
	return related
}

// setFields sets all fields that a request may change.
func setFields(u *dynamo.Update, c Category) {
	u.Set("name", c.Name).Set("slug", c.Slug).Set("locale", c.Locale)
	setOrRemove(u, "description", c.Description)
	setOrRemove(u, "position", c.Position)
	setOrRemove(u, "parent", nonzero(c.Parent))
	setOrRemove(u, "root", nonzero(c.Root))
	u.SetNullable("related", indexes(c.Related)) // also an empty map: RemoveFrom needs a map
}

// setOrRemove sets a field, also to the empty string. It removes the field when value is nil.
func setOrRemove[T any](u *dynamo.Update, name string, value *T) {
	if value == nil {
		u.Remove(name)
	} else {
		u.SetNullable(name, *value)
	}
}

func nonzero(c id.ID) *id.ID {
	if c == 0 {
		return nil
	}
	return &c
}

// SlugOwner says which category has a slug in a locale. Both are in its key.
type SlugOwner struct {
	table.Key
	Category id.ID `dynamo:"category"`
}
