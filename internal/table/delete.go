package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DeleteAll deletes the items of different keys, 25 with each call, each item for itself. It counts those that were
// deleted, or were not there, also where it ends with an error.
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
			left := out.UnprocessedItems[t.Name()]
			deleted += len(writes) - len(left)
			writes = left
			if len(writes) > 0 && !a.pause(ctx, throttled) {
				return deleted, fmt.Errorf("delete %d items: %w", len(keys), errThrottled)
			}
		}
	}
	return deleted, nil
}
