// Package table is frontdesk's only DynamoDB table: how to open it, the keys of all its items, and transactions for
// items that have to change together.
package table

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/base/awsconf"
	"frontdesk/internal/base/execution"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
)

// Table is the open table. Reads and writes of single items use the embedded dynamo.Table; writes of several items
// use [Table.Tx].
type Table struct {
	dynamo.Table
	db   *dynamo.DB
	note func(context.Context) error // notes the layout before a transaction; nil if it is noted: see [OpenKnown]
}

// Open opens the table of that name, without a call. Calls are repeated until the context's deadline, or for 10 seconds
// without one, if DynamoDB refused them because of other requests, or gave no answer. After that the error has the kind
// [api.Conflict] or [api.Unavailable].
func Open(cfg aws.Config, name string) Table {
	db := dynamo.New(cfg, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{} // addRepeat repeats calls
		o.APIOptions = append(o.APIOptions, addRepeat, addItems)
	})
	return Table{Table: db.Table(name), db: db}
}

// WithName returns another table of the same account and region, for instance the one that a backup was restored to.
func (t Table) WithName(name string) Table {
	return Table{Table: t.db.Table(name), db: t.db}
}

// FromEnvironment opens the table named by TABLE_NAME, as a function does when it starts.
func FromEnvironment(e execution.Environment) (Table, error) {
	name := e.Getenv("TABLE_NAME")
	if name == "" {
		return Table{}, errors.New("TABLE_NAME is not set")
	}
	return Open(awsconf.New(e, awsconf.Service{Name: "DYNAMODB", HeaderTimeout: 2 * time.Second}), name), nil
}

// UpdateItem begins an update of the item with key k.
func (t Table) UpdateItem(k Key) *dynamo.Update { return t.Update("PK", k.PK).Range("SK", k.SK) }

// DeleteItem begins a deletion of the item with key k.
func (t Table) DeleteItem(k Key) *dynamo.Delete { return t.Delete("PK", k.PK).Range("SK", k.SK) }

// CheckItem begins a condition on the item with key k, for [Tx.Check].
func (t Table) CheckItem(k Key) *dynamo.ConditionCheck { return t.Check("PK", k.PK).Range("SK", k.SK) }
