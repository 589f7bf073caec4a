package exporting

import (
	"context"
	"reflect"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// comparisons is how often a portal is read again until it has not changed.
const comparisons = 3

// writePortal writes a portal with its members and categories.
//
// It reads the portal until two readings, one after the other, are equal. The version of a category rises with every
// change, and a portal or membership that is made again has another time. So each of them was the same from the end of
// the first of the two to the beginning of the second: all of it was so at one moment. A change that was undone in
// between is not seen: something that came and went, or a name that was changed back.
func (r *run) writePortal(ctx context.Context, key table.Portal) error {
	read, err := r.readPortal(ctx, key)
	changed := true
	for n := 0; n < comparisons && changed && err == nil; n++ {
		before := read
		read, err = r.readPortal(ctx, key)
		changed = !reflect.DeepEqual(before, read)
	}
	if err != nil {
		return err
	}
	if changed {
		r.report.Changed = append(r.report.Changed, transfer.ChangedPortal{Account: key.Account, Portal: key.Slug})
	}
	for _, record := range read.records() {
		if err := r.write(record); err != nil {
			return err
		}
	}
	return nil
}

// reading is a portal with its members and categories, as one reading has found them.
type reading struct {
	portal     portal.Portal
	members    []portal.Membership
	categories []changeset.Record
}

func (r *run) readPortal(ctx context.Context, key table.Portal) (read reading, err error) {
	read.portal, err = portal.Store{Table: r.table}.Get(ctx, key)
	if err != nil {
		return read, err
	}
	read.members, err = table.QueryAll[portal.Membership](ctx, r.table, key.Member(0).PK, table.Users)
	if err != nil {
		return read, err
	}
	read.categories, err = table.QueryAll[changeset.Record](ctx, r.table, key.Categories(), table.Records)
	return read, err
}

// records returns the lines of a portal. A link may lead to a category that is gone: it counts as none, and an import
// would refuse it.
func (r reading) records() []transfer.Record {
	p := r.portal
	records := []transfer.Record{portalRecord(p)}
	for _, m := range r.members {
		records = append(records, transfer.Member{
			Account: p.Account, Portal: p.Slug, User: transfer.IDOf(m.User), App: transfer.IDOf(m.App),
			CreatedAt: m.CreatedAt.Truncate(time.Millisecond),
		})
	}
	var whole tree.Tree
	for _, c := range r.categories {
		whole.Put(c.Category)
	}
	for _, c := range r.categories {
		records = append(records, categoryRecord(p, whole.Living(c.Category)))
	}
	return records
}

func portalRecord(p portal.Portal) transfer.Portal {
	return transfer.Portal{
		Account: p.Account, Slug: p.Slug, Name: p.Name, Locales: p.Locales, DefaultLocale: p.DefaultLocale,
		FormerLocales: p.FormerLocales, Public: p.Public, CreatedAt: p.CreatedAt.Truncate(time.Millisecond),
	}
}

func categoryRecord(p portal.Portal, c tree.Category) transfer.Category {
	record := transfer.Category{
		Account: p.Account, Portal: p.Slug, ID: transfer.IDOf(c.ID), Name: c.Name, Slug: c.Slug,
		Locale: p.Spell(c.Locale), Description: c.Description, Position: c.Position,
		Parent: transfer.IDOf(c.Parent), Root: transfer.IDOf(c.Root), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	for _, related := range c.Related {
		record.Related = append(record.Related, transfer.IDOf(related))
	}
	return record
}
