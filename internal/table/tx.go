package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// MaxWrites is how many operations a transaction takes.
const MaxWrites = 100

// Tx is a transaction: all its writes happen, or none. At most [MaxWrites] of them, each on an item of its own.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
type Tx struct {
	table Table
	tx    *dynamo.WriteTx
	errs  []error // by operation: what it means when its condition fails
}

// Tx begins a transaction. It carries a client token that its retries keep: a transaction whose answer was
// lost is not applied a second time.
func (t Table) Tx() *Tx {
	return &Tx{table: t, tx: t.db.WriteTx().Idempotent(true)}
}

// Table is the table that the transaction writes to.
func (tx *Tx) Table() Table { return tx.table }

// Len is how many operations the transaction has.
func (tx *Tx) Len() int { return len(tx.errs) }

// Put adds a put; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Put(p *dynamo.Put, otherwise error) {
	tx.tx.Put(p)
	tx.errs = append(tx.errs, otherwise)
}

// Update adds an update; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Update(u *dynamo.Update, otherwise error) {
	tx.tx.Update(u)
	tx.errs = append(tx.errs, otherwise)
}

// Delete adds a delete; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Delete(d *dynamo.Delete, otherwise error) {
	tx.tx.Delete(d)
	tx.errs = append(tx.errs, otherwise)
}

// Check adds a condition on an item that is not written; otherwise is what [Tx.Run] returns when it fails.
func (tx *Tx) Check(c *dynamo.ConditionCheck, otherwise error) {
	tx.tx.Check(c)
	tx.errs = append(tx.errs, otherwise)
}

// Run writes. When conditions fail it returns the error that came with the first of them, and with [ErrUnknown] where
// the answer of an earlier attempt was lost.
func (tx *Tx) Run(ctx context.Context) error {
	err := tx.tx.Run(ctx)
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return err
	}
	for i, reason := range cancelled.CancellationReasons {
		if i >= len(tx.errs) || aws.ToString(reason.Code) != "ConditionalCheckFailed" {
			continue
		}
		if errors.Is(err, ErrUnknown) {
			return fmt.Errorf("%w: %w", ErrUnknown, tx.errs[i])
		}
		return tx.errs[i]
	}
	return err
}
