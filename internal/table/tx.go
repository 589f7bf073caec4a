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
	// refusals are, by operation, what it means when its condition fails.
	refusals []refusal
	passing  bool // all of them
}

type refusal struct {
	err error
	// passing says that the condition may hold later. That of a put does: its key is taken, and becomes free. What
	// others depend on is an item as it was read, and does not return: versions rise, and no id is given twice.
	passing bool
}

// Tx begins a transaction. It carries a client token that its retries keep: a transaction whose answer was
// lost is not applied a second time.
func (t Table) Tx() *Tx {
	return &Tx{table: t, tx: t.db.WriteTx().Idempotent(true)}
}

// Passing says that each condition of the transaction may hold later though it fails now, because it is on values that
// others may set again.
func (tx *Tx) Passing() *Tx {
	tx.passing = true
	return tx
}

// Table is the table that the transaction writes to.
func (tx *Tx) Table() Table { return tx.table }

// Len is how many operations the transaction has.
func (tx *Tx) Len() int { return len(tx.refusals) }

// Put adds a put; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Put(p *dynamo.Put, otherwise error) {
	tx.tx.Put(p)
	tx.refusals = append(tx.refusals, refusal{otherwise, true})
}

// Update adds an update; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Update(u *dynamo.Update, otherwise error) {
	tx.tx.Update(u)
	tx.refusals = append(tx.refusals, refusal{otherwise, false})
}

// Delete adds a delete; otherwise is what [Tx.Run] returns when its condition fails.
func (tx *Tx) Delete(d *dynamo.Delete, otherwise error) {
	tx.tx.Delete(d)
	tx.refusals = append(tx.refusals, refusal{otherwise, false})
}

// Check adds a condition on an item that is not written; otherwise is what [Tx.Run] returns when it fails.
func (tx *Tx) Check(c *dynamo.ConditionCheck, otherwise error) {
	tx.tx.Check(c)
	tx.refusals = append(tx.refusals, refusal{otherwise, false})
}

// Run writes. When conditions fail it returns the error that came with the first of them. That of a put, and of any
// operation of a transaction that is [Tx.Passing], is with [ErrUnknown] where the answer of an earlier attempt was
// lost: the attempt may arrive when the condition holds again.
func (tx *Tx) Run(ctx context.Context) error {
	err := tx.tx.Run(ctx)
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return err
	}
	for i, reason := range cancelled.CancellationReasons {
		if i >= len(tx.refusals) || aws.ToString(reason.Code) != "ConditionalCheckFailed" {
			continue
		}
		refused := tx.refusals[i]
		if (refused.passing || tx.passing) && errors.Is(err, ErrUnknown) {
			return fmt.Errorf("%w: %w", ErrUnknown, refused.err)
		}
		return refused.err
	}
	return err
}
