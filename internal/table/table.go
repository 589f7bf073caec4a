// Package table is frontdesk's one DynamoDB table: where it is, the keys of everything in it, and how it is
// written so that what belongs together changes together.
package table

import (
	"errors"
	"os"
	"time"

	"frontdesk/internal/awsconf"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	"github.com/guregu/dynamo/v2"
)

// Table is the open table. Reads and single-item writes go through the embedded dynamo.Table, writes of
// several items through [Table.Tx].
type Table struct {
	dynamo.Table
	db *dynamo.DB
}

// Open opens the table of that name. Nothing is read until it is used. What DynamoDB did not do because of others at
// the same time, or perhaps did without an answer, is repeated until the context's deadline, for 10 seconds where it
// has none; the error then has the kind [api.Conflict] or [api.Unavailable].
func Open(cfg aws.Config, name string) Table { return open(cfg, name) }

func open(cfg aws.Config, name string, also ...func(*middleware.Stack) error) Table {
	db := dynamo.New(cfg, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(append(o.APIOptions, addRepeat, addItems), also...)
	})
	return Table{Table: db.Table(name), db: db}
}

// Beside is another table of the same account and region.
func (t Table) Beside(name string) Table { return Table{Table: t.db.Table(name), db: t.db} }

// FromEnvironment opens the table that TABLE_NAME names, as a function does when it starts.
func FromEnvironment() (Table, error) {
	name := os.Getenv("TABLE_NAME")
	if name == "" {
		return Table{}, errors.New("TABLE_NAME is not set")
	}
	return Open(awsconf.New(awsconf.Service{Name: "DYNAMODB", HeaderTimeout: 2 * time.Second}), name), nil
}

// UpdateItem begins an update of the item of a key.
func (t Table) UpdateItem(k Key) *dynamo.Update { return t.Update("PK", k.PK).Range("SK", k.SK) }

// DeleteItem begins the deletion of the item of a key.
func (t Table) DeleteItem(k Key) *dynamo.Delete { return t.Delete("PK", k.PK).Range("SK", k.SK) }

// CheckItem begins a condition on the item of a key, for [Tx.Check].
func (t Table) CheckItem(k Key) *dynamo.ConditionCheck { return t.Check("PK", k.PK).Range("SK", k.SK) }
