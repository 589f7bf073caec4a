// Package table is frontdesk's one DynamoDB table: where it is, the keys of everything in it, and how it is
// written so that what belongs together changes together.
package table

import (
	"errors"
	"os"
	"time"

	"frontdesk/internal/awsconf"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Table is the open table. Reads and single-item writes go through the embedded dynamo.Table, writes of
// several items through [Table.Tx].
type Table struct {
	dynamo.Table
	db *dynamo.DB
}

// Open opens the table of that name. Nothing is read until it is used.
func Open(cfg aws.Config, name string) Table {
	db := dynamo.New(cfg)
	return Table{Table: db.Table(name), db: db}
}

// FromEnvironment opens the table that TABLE_NAME names, as a function does when it starts.
func FromEnvironment() (Table, error) {
	name := os.Getenv("TABLE_NAME")
	if name == "" {
		return Table{}, errors.New("TABLE_NAME is not set")
	}
	return Open(awsconf.New(awsconf.Service{
		Name:          "DYNAMODB",
		HeaderTimeout: 2 * time.Second,
		Retryer:       Retryer,
	}), name), nil
}

// UpdateItem begins an update of the item of a key.
func (t Table) UpdateItem(k Key) *dynamo.Update { return t.Update("PK", k.PK).Range("SK", k.SK) }

// DeleteItem begins the deletion of the item of a key.
func (t Table) DeleteItem(k Key) *dynamo.Delete { return t.Delete("PK", k.PK).Range("SK", k.SK) }

// CheckItem begins a condition on the item of a key, for [Tx.Check].
func (t Table) CheckItem(k Key) *dynamo.ConditionCheck { return t.Check("PK", k.PK).Range("SK", k.SK) }

const (
	maxAttempts = 8
	minBackoff  = 25 * time.Millisecond
	maxBackoff  = 400 * time.Millisecond
)

// Retryer repeats what DynamoDB did not do: throttled and failed calls, lost connections, and transactions
// that met another one, 8 attempts in all, 25 to 400 ms apart.
func Retryer() aws.Retryer {
	return retry.NewStandard(dynamo.RetryTxConflicts, func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(backoff)
		o.RateLimiter = ratelimit.None // the attempts are few, and a request that gives up early helps nobody
		o.Retryables = append(o.Retryables, retry.RetryableErrorCode{Codes: map[string]struct{}{
			(*types.TransactionConflictException)(nil).ErrorCode(): {},
		}})
	})
}
