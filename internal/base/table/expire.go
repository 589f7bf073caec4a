package table

import (
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// ExpiresAt is the attribute from which DynamoDB's time to live deletes items, in seconds since 1970. DynamoDB may take
// days to delete an item. From that second on the item counts as absent all the same: reads by key and queries leave it
// out, and [Absent] holds for it. Scans return it, because they are about all that is stored.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
const ExpiresAt = "expires_at"

// Absent is the condition that there is no item with the key, for kinds of item that expire. Its argument is the time
// in seconds since 1970.
const Absent = "attribute_not_exists(PK) OR " + ExpiresAt + " <= ?"

// expired reports whether an item has expired at a time. One whose attribute is no number has not: reading it tells
// that it is damaged.
func expired(item dynamo.Item, now time.Time) bool {
	at, _ := item[ExpiresAt].(*types.AttributeValueMemberN)
	if at == nil {
		return false
	}
	seconds, err := strconv.ParseFloat(at.Value, 64)
	return err == nil && seconds <= float64(now.Unix())
}

// live returns the items without those that have expired.
func (t Table) live(items []dynamo.Item) []dynamo.Item {
	now := time.Now()
	return slices.DeleteFunc(items, func(i dynamo.Item) bool { return expired(i, now) })
}
