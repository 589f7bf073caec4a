package table

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"
	"slices"
)

// PutListed stores a new record and its directory entry in one transaction. If the record exists already, it
// returns taken.
func (t Table) PutListed(ctx context.Context, k Key, record any, taken error) error {
	tx := t.Tx()
	tx.Put(t.Put(record).If("attribute_not_exists(PK)"), taken)
	tx.Put(t.Put(DirectoryEntry(k)), nil)
	return tx.Run(ctx)
}

// ReadListed reads all records whose partition keys begin with kind, sorted by partition key. It takes one query for
// the directory, and one read per 100 records. An entry whose record is gone is skipped.
func ReadListed[T any](ctx context.Context, t Table, kind string) (records []T, err error) {
	entries, err := QueryAll[Key](ctx, t, Directory, kind)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(entries, MaxItems) {
		for i := range some {
			some[i] = some[i].Record()
		}
		items, err := t.Read(ctx, some...)
		if err != nil {
			return nil, err
		}
		for _, k := range some {
			var record T
			found, err := items.Get(k, &record)
			if err != nil {
				return nil, err
			}
			if found {
				records = append(records, record)
			}
		}
	}
	return records, nil
}

// InDirectory returns the entry of a record in the directory, for [Agreement.Pairs]: both are written and deleted
// together. The entry repeats the key of the record, so it can be made again.
func InDirectory(s Stored) []Pair {
	record := s.Key
	return []Pair{{Other: DirectoryEntry(record), Make: func(ctx context.Context, t Table) (string, error) {
		return "listed it", t.PutDependent(ctx, record, DirectoryEntry(record))
	}}}
}

// WasLost says what an operator does about a record that others name and that no deletion leaves out.
func WasLost(k Key) string {
	return fmt.Sprintf("%s was lost: no deletion leaves behind what names it. Restore the table, as it was before the "+
		"loss, under another name, and copy the item from there", k.Kind())
}
