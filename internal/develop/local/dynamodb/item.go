package dynamodb

import (
	"encoding/json"
	"maps"
	"slices"
)

// Item identifies an item that an operation reads or writes.
type Item struct {
	Partition string // table and value of the partition key
	Key       string // Partition and the value of the sort key; empty for a Query, which reads many
}

// Items returns the items of an operation in the order of its request; those of a batch are ordered by table. A Scan,
// and an operation that is not on items, has none. An error means that the body is no valid request.
func (a Access) Items(operation string, body []byte) (items []Item, err error) {
	var in request
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	// The zero bytes separate the parts: no name of a table contains one.
	add := func(table string, key item) {
		table = tableName(table)
		partition, _ := key[a.partitionKeys[table]].text()
		sort, _ := key[a.sortKeys[table]].text()
		partition = table + "\x00" + partition
		items = append(items, Item{partition, partition + "\x00" + sort})
	}
	switch operation {
	case "BatchGetItem", "BatchWriteItem":
		for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
			keys, err := batchItems(operation, in.RequestItems[table])
			if err != nil {
				return nil, err
			}
			for _, key := range keys {
				add(table, key)
			}
		}
	case "TransactGetItems", "TransactWriteItems":
		for _, entry := range in.TransactItems {
			for verb, operation := range entry {
				add(operation.TableName, operation.primaryKey(transactionActions[verb]))
			}
		}
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		add(in.TableName, in.primaryKey(operation))
	case "Query":
		table := tableName(in.TableName)
		for _, value := range in.valuesOf(a.partitionKeys[table], in.ExpressionAttributeNames) {
			items = append(items, Item{Partition: table + "\x00" + value})
		}
	}
	return items, nil
}
