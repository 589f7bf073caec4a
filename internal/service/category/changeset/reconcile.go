package changeset

// This file is for operators: no endpoint calls it.

import (
	"context"
	"errors"

	"frontdesk/internal/base/table"
)

// Lacks names what every category has and this one does not, or is "". Claims and index items repeat what a record
// says. When the record has lost an attribute, these may be all that is known of it.
func (r Record) Lacks() string {
	switch {
	case r.Locale == "":
		return "locale"
	case r.Slug == "":
		return "slug"
	}
	return ""
}

// Derived returns the items that follow from the record, by their keys: its claim and its index items.
func (r Record) Derived() map[table.Key]any {
	p, c := r.Key.Portal(), r.Category
	claim := newSlugOwner(p, c)
	items := map[table.Key]any{claim.Key: claim}
	for _, i := range Index(p, c) {
		items[i.Key] = i
	}
	return items
}

// errNoRecord is for an item of a category of which nobody knows what it says.
var errNoRecord = errors.New("its category is missing or damaged")

// Reconcile brings an item in line with the record of a category: its claim, or an index item. It writes an item that
// follows from the record, and deletes one that does not. An existing claim stays as it is: another category may have
// it.
func Reconcile(ctx context.Context, t table.Table, category, item table.Key) (did string, err error) {
	items, err := t.Read(ctx, category)
	if err != nil {
		return "", err
	}
	var r Record
	found, err := items.Get(category, &r)
	if !found || r.Lacks() != "" {
		return "", errors.Join(errNoRecord, err)
	}
	tx := t.Tx()
	tx.Check(t.CheckItem(category).If("version = ?", r.Version), table.Final(table.ErrChanged))
	switch made := r.Derived()[item].(type) {
	case SlugOwner:
		did = "gave it the slug"
		tx.Put(t.Put(made).If("attribute_not_exists(PK)"), table.ErrChanged)
	case IndexItem:
		did = "wrote the index item"
		tx.Put(t.Put(made), nil)
	default:
		did = "deleted it"
		tx.Delete(t.DeleteItem(item).If("attribute_not_exists(category) OR category = ?", r.ID), table.ErrChanged)
	}
	return did, tx.Run(ctx)
}
