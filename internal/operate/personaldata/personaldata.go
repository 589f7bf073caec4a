// Package personaldata finds, and takes out, all that is stored of a person with an e-mail address. It scans the whole
// table, because no index leads from an address to the mails, the texts and the names that contain it.
//
//	scan → find: does any text of the item have the address, or does the item belong to the address's user?
//
// Each kind of item says what is personal in it: see [table.Privacy].
package personaldata

import (
	"context"
	"fmt"
	"sync"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
)

// Person is the owner of an e-mail address.
type Person struct {
	Address string // in its normal form
	User    id.ID  // the user with this address; 0 means none
}

// Find reads which user has an address. The address may be in any spelling.
func Find(ctx context.Context, t table.Table, text string) (Person, error) {
	normal, err := address.Normal(text)
	if err != nil {
		return Person{}, fmt.Errorf("the address %w", err)
	}
	items, err := t.Read(ctx, table.Email(normal))
	if err != nil {
		return Person{}, err
	}
	var owner user.Owner
	_, err = items.Get(table.Email(normal), &owner)
	return Person{normal, owner.User}, err
}

// Cost is what a scan of the table reads. It is DynamoDB's own count, which may be six hours old.
type Cost struct{ Items, Bytes int64 }

// CostOf asks DynamoDB what a scan of the table would read.
func CostOf(ctx context.Context, t table.Table) (Cost, error) {
	d, err := t.Describe(ctx)
	return Cost{aws.ToInt64(d.ItemCount), aws.ToInt64(d.TableSizeBytes)}, err
}

// Units returns the units of read capacity. A strongly consistent read takes one for each 4 KB.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func (c Cost) Units() int64 { return c.Bytes/4096 + 1 }

// scan visits each item of the table once, also those that have expired and are still stored. Calls of visit may
// overlap. It calls progress with the number of visited items.
func scan(
	ctx context.Context, t table.Table, kinds table.Registry, progress func(done int64), visit func(table.Stored) error,
) error {
	var mu sync.Mutex
	var done int64
	return t.ScanAll(ctx, func(_ context.Context, items []dynamo.Item) error {
		for _, item := range items {
			if err := visit(kinds.Read(item, time.Now())); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		done += int64(len(items))
		progress(done)
		return nil
	})
}
