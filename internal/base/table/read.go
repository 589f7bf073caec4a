package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// MaxParallel limits how many calls of one request run at the same time.
const MaxParallel = 16

// MaxItems is the limit of BatchGetItem and TransactGetItems: 100 items per call.
const MaxItems = 100

// Items are the items that [Table.Read] found, by their keys.
type Items map[Key]dynamo.Item

// Read reads up to [MaxItems] items of any kinds in one round trip. Each read is strongly consistent, but the items may
// be from different moments. A key given twice is read once. A key that does not fit counts as absent.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
func (t Table) Read(ctx context.Context, keys ...Key) (Items, error) {
	items := make(Items, len(keys))
	asked := make(map[Key]bool, len(keys))
	wanted := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, k := range keys {
		if !asked[k] && k.Fits() {
			asked[k] = true
			wanted.Keys = append(wanted.Keys, k.attributes())
		}
	}
	if len(asked) == 0 {
		return items, nil
	}
	remaining := map[string]types.KeysAndAttributes{t.Name(): wanted}
	for a := newAttempts(ctx); ; {
		out, err := t.db.Client().BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: remaining})
		if err != nil {
			return nil, fmt.Errorf("read %d items: %w", len(asked), err)
		}
		for _, item := range t.live(out.Responses[t.Name()]) {
			items[KeyOf(item)] = item
		}
		// A batch may be answered in part: at 16 MB, or when units run out. The rest is asked for again.
		remaining = out.UnprocessedKeys
		if len(remaining) == 0 {
			return items, nil
		}
		if !a.pause(ctx, throttled) {
			return nil, fmt.Errorf("read %d items: %w", len(asked), errThrottled)
		}
	}
}

// Snapshot reads up to [MaxItems] items of any kinds as they were together at one moment. It is slower than
// [Table.Read] and costs twice the units. Use it to compare items with each other.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html
func (t Table) Snapshot(ctx context.Context, keys ...Key) (Items, error) {
	items := make(Items, len(keys))
	tx := t.db.GetTx()
	for _, k := range keys {
		if _, asked := items[k]; !asked && k.Fits() {
			items[k] = nil
			tx.Get(t.Get("PK", k.PK).Range("SK", dynamo.Equal, k.SK))
		}
	}
	var found []dynamo.Item
	if err := tx.All(ctx, &found); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("read %d items together: %w", len(items), err)
	}
	clear(items)
	for _, item := range t.live(found) {
		items[KeyOf(item)] = item
	}
	return items, nil
}

// Get decodes the item with key k into out, a pointer to a struct. Found is false if there is none. The error is that
// of [Decode].
func (i Items) Get(k Key, out any) (found bool, err error) {
	item, found := i[k]
	if !found {
		return false, nil
	}
	err = Decode(item, out)
	return err == nil, err
}

// attributes returns the key in the form that the SDK takes.
func (k Key) attributes() dynamo.Item {
	return dynamo.Item{"PK": &types.AttributeValueMemberS{Value: k.PK}, "SK": &types.AttributeValueMemberS{Value: k.SK}}
}

// KeyOf returns the key of an item, or the zero Key if the item has none.
func KeyOf(item dynamo.Item) Key {
	pk, _ := item["PK"].(*types.AttributeValueMemberS)
	sk, _ := item["SK"].(*types.AttributeValueMemberS)
	if pk == nil || sk == nil {
		return Key{}
	}
	return Key{pk.Value, sk.Value}
}
