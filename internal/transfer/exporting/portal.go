package exporting

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/tree"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
)

// writePortal writes a portal with its members and categories.
//
// It reads the portal twice, and writes the lines of the first reading. Suppose that all lines and versions are equal
// both times. The version of a category rises with every change, and a membership that is made again has another time.
// So each of them was the same from the end of the first reading to the beginning of the second, and the lines show the
// portal at the end of the first reading. A change that was undone in between is not seen: something that came and
// went, or a name that was changed back.
func (r *run) writePortal(ctx context.Context, key table.Portal) error {
	first, err := r.digestPortal(ctx, key, r.writeLine)
	if err != nil {
		return err
	}
	second, err := r.digestPortal(ctx, key, func(transfer.Record, []byte) error { return nil })
	if err != nil {
		return err
	}
	if !bytes.Equal(first, second) {
		r.report.Changed = append(r.report.Changed, transfer.ChangedPortal{Account: key.Account, Portal: key.Slug})
	}
	return nil
}

// digestPortal reads a portal, calls each with its records and their lines, and returns a digest of these and of
// their versions. The version of a portal or a membership is its time of creation, which tells it from another one in
// its place.
func (r *run) digestPortal(
	ctx context.Context, key table.Portal, each func(transfer.Record, []byte) error,
) ([]byte, error) {
	digest := sha256.New()
	add := func(record transfer.Record, version int64) error {
		line, err := transfer.Line(record)
		if err != nil {
			return err
		}
		digest.Write(binary.BigEndian.AppendUint64(line, uint64(version))) // a hash never returns an error
		return each(record, line)
	}
	p, err := portal.Store{Table: r.table}.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := add(portalRecord(p), p.CreatedAt.UnixNano()); err != nil {
		return nil, err
	}
	err = eachOf(ctx, r.table, key.Member(0).PK, table.Users, func(m portal.Membership) error {
		return add(transfer.Member{
			Account: key.Account, Portal: key.Slug, User: m.User, App: m.App,
			CreatedAt: m.CreatedAt.Truncate(time.Millisecond),
		}, m.CreatedAt.UnixNano())
	})
	if err != nil {
		return nil, err
	}
	// A link may lead to a category that is gone. It counts as none, and an import would refuse it.
	var records []changeset.Record
	var whole tree.Tree
	err = eachOf(ctx, r.table, key.Categories(), table.Records, func(c changeset.Record) error {
		records = append(records, c)
		whole.Hold(c.Category)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range records {
		if err := add(categoryRecord(p, whole.Living(c.Category)), c.Version); err != nil {
			return nil, err
		}
	}
	return digest.Sum(nil), nil
}

// eachOf visits the items of a partition whose sort keys begin with a prefix. One page of 1 MB is in memory at a time.
func eachOf[T any](ctx context.Context, t table.Table, partition, prefix string, visit func(T) error) error {
	page, err := table.Query[T](ctx, t, partition, prefix, 0)
	for err == nil {
		for _, item := range page.Items {
			if err := visit(item); err != nil {
				return err
			}
		}
		if !page.More() {
			return nil
		}
		page, err = page.Next(ctx, 0)
	}
	return err
}

func portalRecord(p portal.Portal) transfer.Portal {
	return transfer.Portal{
		Account: p.Account, Slug: p.Slug, Name: p.Name, Locales: p.Locales, DefaultLocale: p.DefaultLocale,
		FormerLocales: p.FormerLocales, Public: p.Public, CreatedAt: p.CreatedAt.Truncate(time.Millisecond),
	}
}

func categoryRecord(p portal.Portal, c tree.Category) transfer.Category {
	return transfer.Category{
		Account: p.Account, Portal: p.Slug, ID: c.ID, Name: c.Name, Slug: c.Slug,
		Locale: p.Spell(c.Locale), Description: c.Description, Position: c.Position, Parent: c.Parent,
		Root: c.Root, Related: c.Related,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}
