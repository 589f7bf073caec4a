package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Items are the items that [Table.Read] found.
type Items map[Key]dynamo.Item

// Read reads items of any kinds, at most 100, in one round trip: strongly consistent, each for itself. Keys
// that are given twice are read once, and those that DynamoDB would not take are not there.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
func (t Table) Read(ctx context.Context, keys ...Key) (Items, error) {
	items := make(Items, len(keys))
	asked := make(map[Key]bool, len(keys))
	batch := t.Batch("PK", "SK").Get().Consistent(true)
	for _, k := range keys {
		if !asked[k] && k.fits() {
			asked[k] = true
			batch.And(k)
		}
	}
	if len(asked) == 0 {
		return items, nil
	}
	var found []dynamo.Item
	if err := batch.All(ctx, &found); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, fmt.Errorf("read %d items: %w", len(asked), err)
	}
	for _, item := range found {
		items[keyOf(item)] = item
	}
	return items, nil
}

// Get decodes the item of a key into out, a pointer to a struct; found is false where there is none.
func (i Items) Get(k Key, out any) (found bool, err error) {
	item, found := i[k]
	if !found {
		return false, nil
	}
	if err := dynamo.UnmarshalItem(item, out); err != nil {
		return false, fmt.Errorf("decode %s: %w", k, err)
	}
	return true, nil
}

func keyOf(item dynamo.Item) Key {
	pk, _ := item["PK"].(*types.AttributeValueMemberS)
	sk, _ := item["SK"].(*types.AttributeValueMemberS)
	if pk == nil || sk == nil {
		return Key{}
	}
	return Key{pk.Value, sk.Value}
}
