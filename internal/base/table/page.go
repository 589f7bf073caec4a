package table

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"
)

// Page is one page of the items of a partition, in the order of their sort keys.
type Page[T any] struct {
	Items []T
	Units float64 // units of read capacity that this page took

	table     Table
	partition string
	condition dynamo.Operator
	keys      []any            // to which the condition compares the sort keys
	next      dynamo.PagingKey // nil after the last page
}

// Query reads the first page of the items of a partition whose sort keys begin with prefix, strongly consistent. A
// limit of 0 means as many items as fit into DynamoDB's page of 1 MB.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
func Query[T any](ctx context.Context, t Table, partition, prefix string, limit int) (Page[T], error) {
	p := Page[T]{table: t, partition: partition, condition: dynamo.BeginsWith, keys: []any{prefix}}
	return p.Next(ctx, limit)
}

// QueryAll reads all items of a partition whose sort keys begin with prefix, strongly consistent.
func QueryAll[T any](ctx context.Context, t Table, partition, prefix string) ([]T, error) {
	page, err := Query[T](ctx, t, partition, prefix, 0)
	if err != nil {
		return nil, err
	}
	return page.All(ctx)
}

// QueryRange is [Query] for sort keys from one key to another, both included.
func QueryRange[T any](ctx context.Context, t Table, partition, from, to string, limit int) (Page[T], error) {
	p := Page[T]{table: t, partition: partition, condition: dynamo.Between, keys: []any{from, to}}
	return p.Next(ctx, limit)
}

// QueryAfter is [Query] for the items after a key. An item with that key need not exist.
func QueryAfter[T any](ctx context.Context, t Table, after Key, prefix string, limit int) (Page[T], error) {
	p := Page[T]{table: t, partition: after.PK, condition: dynamo.BeginsWith, keys: []any{prefix}}
	var err error
	p.next, err = dynamo.MarshalItem(after)
	if err != nil {
		return p, err
	}
	return p.Next(ctx, limit)
}

// More reports whether there may be a next page. If the limit was met exactly, the next page may be empty.
func (p Page[T]) More() bool { return p.next != nil }

// Next reads the following page, of at most limit items.
func (p Page[T]) Next(ctx context.Context, limit int) (Page[T], error) {
	var units dynamo.ConsumedCapacity
	q := p.table.Get("PK", p.partition).Range("SK", p.condition, p.keys...).Consistent(true).RequestLimit(1).
		ConsumedCapacity(&units)
	if limit > 0 {
		q.SearchLimit(limit)
	}
	if p.next != nil {
		q.StartFrom(p.next)
	}
	var items []dynamo.Item
	next, err := q.AllWithLastEvaluatedKey(ctx, &items)
	if err != nil {
		return p, fmt.Errorf("query %s: %w", p.keys[0], err)
	}
	p.next, p.Units = next, units.Total
	p.Items, err = DecodeAll[T](p.table.live(items))
	return p, err
}

// All returns the items of this page and of all following ones.
func (p Page[T]) All(ctx context.Context) (items []T, err error) {
	items = p.Items
	for p.More() {
		p, err = p.Next(ctx, 0)
		if err != nil {
			return nil, err
		}
		items = append(items, p.Items...)
	}
	return items, nil
}

// QueryNewest reads the items with sort keys from one key to another, both included, in descending order. A limit of 0
// means as many as fit into 1 MB. If there may be older ones, last is the sort key of the last item that was read; it
// may have expired. Otherwise last is "". The read is eventually consistent, which costs half the units.
func QueryNewest[T any](
	ctx context.Context, t Table, partition, from, to string, limit int,
) (items []T, last string, err error) {
	var found []dynamo.Item
	next, err := t.Get("PK", partition).Range("SK", dynamo.Between, from, to).Order(dynamo.Descending).
		SearchLimit(limit).RequestLimit(1).AllWithLastEvaluatedKey(ctx, &found)
	if err != nil {
		return nil, "", fmt.Errorf("query %s: %w", from, err)
	}
	items, err = DecodeAll[T](t.live(found))
	return items, KeyOf(next).SK, err
}

// QueryPartition is [Query] for all items of a partition. The range from " " to "~" includes every sort key.
func QueryPartition[T any](ctx context.Context, t Table, partition string, limit int) (Page[T], error) {
	return QueryRange[T](ctx, t, partition, " ", "~", limit)
}

// Has reports whether a partition has any item.
func (t Table) Has(ctx context.Context, partition string) (bool, error) {
	page, err := QueryPartition[Key](ctx, t, partition, 1)
	return len(page.Items) > 0, err
}

// Count counts the items with sort keys from one key to another, both included. It costs as many units as reading them.
func (t Table) Count(ctx context.Context, partition, from, to string) (int, error) {
	n, err := t.Get("PK", partition).Range("SK", dynamo.Between, from, to).Consistent(true).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", from, err)
	}
	return n, nil
}
