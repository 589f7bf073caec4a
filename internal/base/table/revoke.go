package table

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"
)

// RevokedAt is the attribute that ends a credential forever.
const RevokedAt = "revoked_at"

// Revoke ends the credential with key k at a time, and decodes its record into out. Found is false if there is no
// record. Revoking again changes nothing: the first time stays. DynamoDB stores whole seconds of UTC.
func (t Table) Revoke(ctx context.Context, k Key, at time.Time, out any) (found bool, err error) {
	var item dynamo.Item
	err = t.UpdateItem(k).
		SetIfNotExists(RevokedAt, at.UTC().Truncate(time.Second)).
		If("attribute_exists(PK)").
		Value(ctx, &item)
	if dynamo.IsCondCheckFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("revoke %s: %w", k.Kind(), err)
	}
	return true, Decode(item, out)
}
