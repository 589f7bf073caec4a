// Package person finds all that is stored of a person, by an e-mail address. The whole table is scanned for it, as no
// index leads from an address to the mails, the texts and the names that have it.
//
//	scan → find: is the address in any text of the item, or does the item hang on the address's user?
package person

import (
	"context"
	"fmt"
	"sync"

	"frontdesk/internal/address"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
)

// Person is whose an e-mail address is.
type Person struct {
	Address string // in its normal form
	User    id.ID  // who has the address; 0 for nobody
}

// Find reads who has an address, which is given in any spelling.
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

// of reports whether an item hangs on the person's user by its key.
func (p Person) of(k table.Key) bool {
	if p.User == 0 {
		return false
	}
	switch k.PK {
	case table.User(p.User).PK, table.LinkedApp(p.User, 0).PK, table.Portal{}.Membership(p.User).PK,
		table.AgentToken(p.User, credential.Digest{}).PK, table.LoginToken(p.User, credential.Digest{}).PK:
		return true
	}
	return k.SK == table.PermissibleLink(0, p.User).SK
}

// Cost is what a scan of the table reads, by DynamoDB's own count, which may be six hours old.
type Cost struct{ Items, Bytes int64 }

// CostOf asks what a scan of the table reads.
func CostOf(ctx context.Context, t table.Table) (Cost, error) {
	d, err := t.Describe(ctx)
	return Cost{aws.ToInt64(d.ItemCount), aws.ToInt64(d.TableSizeBytes)}, err
}

// Units are of read capacity: a strongly consistent read takes one for each 4 KB.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func (c Cost) Units() int64 { return c.Bytes/4096 + 1 }

// scan visits each item of the table once, by one caller at a time, and tells how many it has visited.
func scan(ctx context.Context, t table.Table, progress func(done int64), visit func(dynamo.Item) error) error {
	var mu sync.Mutex
	var done int64
	return t.ScanAll(ctx, func(_ context.Context, items []dynamo.Item) error {
		mu.Lock()
		defer mu.Unlock()
		for _, item := range items {
			if err := visit(item); err != nil {
				return err
			}
		}
		done += int64(len(items))
		progress(done)
		return nil
	})
}
