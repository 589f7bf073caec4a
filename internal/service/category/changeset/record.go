package changeset

import (
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/tree"

	"github.com/guregu/dynamo/v2"
)

// Record is a category as the table holds it.
type Record struct {
	table.Key
	tree.Category

	// Version begins with the time of creation and rises by one with every change. Every change has it as its
	// condition (optimistic locking). A record that is made again under the same id, in a portal that was deleted and
	// imported again, begins above all versions of the earlier one. So no late write fits it.
	Version int64 `dynamo:"version"`
}

// versions is how far the first versions of two records are apart that were made in successive milliseconds. A record
// takes more than a millisecond for each change, so its version stays below that of a record that is made later.
const versions = 1_000_000

// NewRecord returns the record of a new category, made at a time.
func NewRecord(p table.Portal, c tree.Category, at time.Time) Record {
	return Record{Key: p.Category(c.ID), Category: c, Version: at.UnixMilli() * versions}
}

// awaitsLinks is added to the first version of a record by [ChangeSet.CreateAwaitingLinks]. No record is changed so
// often that its version gets there by itself.
const awaitsLinks = versions / 2

// AwaitsLinks reports whether an import has made the record without its root and its related categories, and nobody
// has changed it since.
func (r Record) AwaitsLinks() bool { return r.Version%versions == awaitsLinks }

// setFields sets all fields that a request may change.
func setFields(u *dynamo.Update, c tree.Category) {
	u.Set("name", c.Name).Set("slug", c.Slug).Set("locale", c.Locale)
	setOrRemove(u, "description", c.Description)
	setOrRemove(u, "position", c.Position)
	setOrRemove(u, "parent", nonzero(c.Parent))
	setOrRemove(u, "root", nonzero(c.Root))
	if len(c.Related) > 0 {
		u.Set("related", c.Related)
	} else {
		u.Remove("related")
	}
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

// SlugOwner is the claim of a category on its slug in its locale. Both are in its key.
type SlugOwner struct {
	table.Key
	Category id.ID `dynamo:"category"`
}

// newSlugOwner returns the claim of a category.
func newSlugOwner(p table.Portal, c tree.Category) SlugOwner {
	return SlugOwner{p.SlugOwner(c.Locale, c.Slug), c.ID}
}

// IndexItem says that a category has the target as its parent or as its root. It lies beside the other index items of
// the target, so that a category shown alone knows what leads to it. It is right as long as the source's record names
// the target, even if that is gone.
type IndexItem struct {
	table.Key
	Target id.ID         `dynamo:"target"`
	Kind   tree.LinkKind `dynamo:"kind"`
	Source id.ID         `dynamo:"source"`
}

// Index returns the index items of a category: up to two, one for its parent and one for its root.
func Index(p table.Portal, c tree.Category) (items []IndexItem) {
	for _, l := range []struct {
		kind   tree.LinkKind
		target id.ID
	}{{tree.Sub, c.Parent}, {tree.Assoc, c.Root}} {
		if l.target != 0 {
			items = append(items, IndexItem{
				Key: p.IndexItem(l.target, string(l.kind), c.ID), Target: l.target, Kind: l.kind, Source: c.ID,
			})
		}
	}
	return items
}

// Items returns all items of a new category, made at a time: its record, its claim and its index items.
func Items(p table.Portal, c tree.Category, at time.Time) []any {
	items := []any{NewRecord(p, c, at), newSlugOwner(p, c)}
	for _, i := range Index(p, c) {
		items = append(items, i)
	}
	return items
}
