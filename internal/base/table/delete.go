package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DeleteAll deletes the items with these keys, which must differ, 25 per call: the limit of BatchWriteItem. The
// deletions are independent of each other. It returns how many items are gone, also if it ends with an error; a key
// without an item counts too.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
func (t Table) DeleteAll(ctx context.Context, keys ...Key) (deleted int, err error) {
	for batch := range slices.Chunk(keys, 25) {
		writes := make([]types.WriteRequest, len(batch))
		for i, k := range batch {
			writes[i].DeleteRequest = &types.DeleteRequest{Key: k.attributes()}
		}
		for a := newAttempts(ctx); len(writes) > 0; {
			out, err := t.db.Client().BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{t.Name(): writes},
			})
			if err != nil {
				return deleted, fmt.Errorf("delete %d items: %w", len(keys), err)
			}
			// DynamoDB may do a part of a batch, and return the rest as unprocessed when units run out.
			unprocessed := out.UnprocessedItems[t.Name()]
			deleted += len(writes) - len(unprocessed)
			writes = unprocessed
			if len(writes) > 0 && !a.pause(ctx, throttled) {
				return deleted, fmt.Errorf("delete %d items: %w", len(keys), errThrottled)
			}
		}
	}
	return deleted, nil
}
