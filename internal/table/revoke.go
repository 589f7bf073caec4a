package table

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"
)

// RevokedAt is the attribute that ends a credential for good.
const RevokedAt = "revoked_at"

// Revoke ends the credential whose record has a key, as of a time, and decodes the record into out; found is false
// where there is none. To revoke it again changes nothing.
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
