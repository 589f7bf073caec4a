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

// MaxItems is how many items one read takes.
const MaxItems = 100

// Items are the items that [Table.Read] found.
type Items map[Key]dynamo.Item

// Read reads items of any kinds, at most 100, in one round trip: strongly consistent, each for itself. Keys
// that are given twice are read once, and those that DynamoDB would not take are not there.
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
	left := map[string]types.KeysAndAttributes{t.Name(): wanted}
	for a := newAttempts(ctx); ; {
		out, err := t.db.Client().BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: left})
		if err != nil {
			return nil, fmt.Errorf("read %d items: %w", len(asked), err)
		}
		for _, item := range out.Responses[t.Name()] {
			items[KeyOf(item)] = item
		}
		left = out.UnprocessedKeys
		if len(left) == 0 {
			return items, nil
		}
		if !a.pause(ctx, throttled) {
			return nil, fmt.Errorf("read %d items: %w", len(asked), errThrottled)
		}
	}
}

// Snapshot reads items of any kinds, at most 100, as they are together at one moment. It is slower than [Table.Read],
// and for those who compare the items with each other.
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
	for _, item := range found {
		items[KeyOf(item)] = item
	}
	return items, nil
}

// Get decodes the item of a key into out, a pointer to a struct; found is false where there is none. The error is that
// of [Decode].
func (i Items) Get(k Key, out any) (found bool, err error) {
	item, found := i[k]
	if !found {
		return false, nil
	}
	err = Decode(item, out)
	return err == nil, err
}

// attributes is the key as DynamoDB takes it.
func (k Key) attributes() dynamo.Item {
	return dynamo.Item{"PK": &types.AttributeValueMemberS{Value: k.PK}, "SK": &types.AttributeValueMemberS{Value: k.SK}}
}

// KeyOf is the key of an item.
func KeyOf(item dynamo.Item) Key {
	pk, _ := item["PK"].(*types.AttributeValueMemberS)
	sk, _ := item["SK"].(*types.AttributeValueMemberS)
	if pk == nil || sk == nil {
		return Key{}
	}
	return Key{pk.Value, sk.Value}
}
