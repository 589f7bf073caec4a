package changeset

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Record is a category as the table holds it.
type Record struct {
	table.Key
	ID          id.ID          `dynamo:"id"`
	Name        string         `dynamo:"name"`
	Slug        string         `dynamo:"slug"`
	Locale      string         `dynamo:"locale"`
	Description *string        `dynamo:"description,allowempty"`
	Position    *int64         `dynamo:"position"`
	Parent      id.ID          `dynamo:"parent,omitempty"`
	Root        id.ID          `dynamo:"root,omitempty"`
	Related     map[string]int `dynamo:"related,allowempty"` // to its place, so that one can go without the others' knowing
	CreatedAt   time.Time      `dynamo:"created_at"`
	UpdatedAt   time.Time      `dynamo:"updated_at"`

	// Version rises with every change of the fields above.
	Version int64 `dynamo:"version"`
	// Incoming counts the links that lead here. They may come and go without a new version.
	Incoming int64 `dynamo:"incoming"`
}

func newRecord(p table.Portal, c Category) Record {
	return Record{
		Key: p.Category(c.ID), ID: c.ID, Name: c.Name, Slug: c.Slug, Locale: c.Locale, Description: c.Description,
		Position: c.Position, Parent: c.Parent, Root: c.Root, Related: places(c.Related),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Version: 1,
	}
}

// Category is the category that the record holds.
func (r Record) Category() Category {
	return Category{
		ID: r.ID, Name: r.Name, Slug: r.Slug, Locale: r.Locale, Description: r.Description, Position: r.Position,
		Parent: r.Parent, Root: r.Root, Related: inPlaces(r.Related), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// places numbers a list of categories. The names of a map in the table are strings.
func places(related []id.ID) map[string]int {
	byID := make(map[string]int, len(related))
	for place, r := range related {
		byID[r.String()] = place
	}
	return byID
}

// inPlaces is the list that places numbered, without those that have gone since.
func inPlaces(byID map[string]int) []id.ID {
	var related []id.ID
	for _, name := range slices.SortedFunc(maps.Keys(byID), func(a, b string) int { return cmp.Compare(byID[a], byID[b]) }) {
		if r, ok := id.Parse(name); ok {
			related = append(related, r)
		}
	}
	return related
}

// Ref is the record of one link, beside the category that it leads to.
type Ref struct {
	table.Key
	Target id.ID         `dynamo:"target"`
	Kind   table.RefKind `dynamo:"kind"`
	Source id.ID         `dynamo:"source"`
}

// NewRef is the record of a link from source.
func NewRef(p table.Portal, source id.ID, l Link) Ref {
	return Ref{p.Ref(l.Target, l.Kind, source), l.Target, l.Kind, source}
}

// Link is the link that the record is of.
func (r Ref) Link() Link { return Link{r.Kind, r.Target} }

// SlugOwner says whose a slug is.
type SlugOwner struct {
	table.Key
	Category id.ID `dynamo:"category"`
}
