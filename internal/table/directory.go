package table

import (
	"context"
	"slices"
)

// PutListed stores a new record and its entry in the directory, together. Taken is the error where there is such
// a record.
func (t Table) PutListed(ctx context.Context, k Key, record any, taken error) error {
	tx := t.Tx()
	tx.Put(t.Put(record).If("attribute_not_exists(PK)"), taken)
	tx.Put(t.Put(Listed(k)), nil)
	return tx.Run(ctx)
}

// ReadListed reads the records of the directory whose partition keys begin so, by those keys: a query, and a read for
// every 100.
func ReadListed[T any](ctx context.Context, t Table, kind string) (records []T, err error) {
	first, err := Query[Key](ctx, t, Directory, kind, 0)
	if err != nil {
		return nil, err
	}
	entries, err := first.All(ctx)
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
