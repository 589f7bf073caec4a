package table

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Layout is the version of the table's layout: its kinds of item, their keys and their attributes. It increases when
// this program can no longer read the items of an earlier version, or when an earlier version would misread the items
// of this one.
const Layout = 2

// LayoutRecord says which layout the table has. Only the operators' tool reads and writes it. Functions need not: a
// stack deploys its functions and its tool in the same version.
type LayoutRecord struct {
	Key
	Layout int `dynamo:"layout"`
}

// OpenKnown is [Open] for the operators' tool. It fails if this program does not know the table's layout. A table
// without a record is new, and the first transaction adds the record: all that operators make is written by
// transactions. OpenKnown reads one item.
func OpenKnown(ctx context.Context, cfg aws.Config, name string) (Table, error) {
	t := Open(cfg, name)
	noted, err := t.CheckLayout(ctx)
	if err != nil || noted {
		return t, err
	}
	var done atomic.Bool
	t.note = func(ctx context.Context) error {
		if done.Load() {
			return nil
		}
		err := t.noteLayout(ctx)
		done.Store(err == nil)
		return err
	}
	return t, nil
}

// CheckLayout fails if this program does not know the table's layout. It reports whether the table has a
// [LayoutRecord]. A table that does not exist has none.
func (t Table) CheckLayout(ctx context.Context) (noted bool, err error) {
	items, err := t.Read(ctx, LayoutKey)
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the layout of table %s: %w", t.Name(), err)
	}
	var record LayoutRecord
	noted, err = items.Get(LayoutKey, &record)
	switch {
	case err != nil:
		return false, fmt.Errorf("read the layout of table %s: %w", t.Name(), err)
	case noted && record.Layout != Layout:
		return false, UnknownLayout{t.Name(), record.Layout}
	}
	return noted, nil
}

// UnknownLayout is the error for a table whose layout this program does not know.
type UnknownLayout struct {
	Table  string
	Layout int
}

func (e UnknownLayout) Error() string {
	return fmt.Sprintf("table %s has layout %d, and this version of frontdesk only knows layout %d: "+
		"use the version that wrote the table", e.Table, e.Layout, Layout)
}

// noteLayout writes the record of the layout, unless the table has one. Since the table was opened, another version may
// have written a record of another layout: that is an error.
func (t Table) noteLayout(ctx context.Context) error {
	err := t.Put(LayoutRecord{LayoutKey, Layout}).If("attribute_not_exists(PK)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		_, err = t.CheckLayout(ctx)
		return err
	}
	if err != nil {
		return fmt.Errorf("note the layout of table %s: %w", t.Name(), err)
	}
	return nil
}
