package table

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
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
// without a record is new, and the first write to the table adds the record. OpenKnown reads one item.
func OpenKnown(ctx context.Context, cfg aws.Config, name string) (Table, error) {
	t := Open(cfg, name)
	noted, err := t.CheckLayout(ctx)
	if err != nil || noted {
		return t, err
	}
	return open(cfg, name, (&layoutNote{table: t}).add), nil
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
	return fmt.Sprintf("table %s has layout %d, and this version of frontdesk knows layout %d alone: "+
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

// layoutNote writes the record of a table's layout before the first write to the table.
type layoutNote struct {
	table Table // opened without the note, which would otherwise wait for itself
	mu    sync.Mutex
	noted bool
}

// add installs the note before the SDK's other steps, so that it runs once per call and not once per attempt.
func (n *layoutNote) add(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("NoteLayout", n.handle), middleware.Before)
}

// handle recognizes writes by the type of their input. Reads leave the table as it is.
func (n *layoutNote) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	switch in.Parameters.(type) {
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput,
		*dynamodb.BatchWriteItemInput, *dynamodb.TransactWriteItemsInput:
		if err := n.once(ctx); err != nil {
			return out, metadata, err
		}
	}
	return next.HandleInitialize(ctx, in)
}

// once writes the record at most once. After an error, the next write tries again.
func (n *layoutNote) once(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.noted {
		return nil
	}
	err := n.table.noteLayout(ctx)
	n.noted = err == nil
	return err
}
