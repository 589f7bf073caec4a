package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// MaxWrites is DynamoDB's limit of operations in a transaction.
const MaxWrites = 100

// Tx is a transaction: all of its writes happen, or none. It has at most [MaxWrites] operations, each on a
// different item.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
type Tx struct {
	table Table
	tx    *dynamo.WriteTx
	// refusals holds the error for each operation's failed condition, in the order of the operations.
	refusals []refusal
	passing  bool // every condition may hold later; see Passing
}

// refusal is what a failed condition means.
type refusal struct {
	err error
	// passing means that the condition may hold later. That of a put may: its key is taken now, and can become
	// free. Other conditions expect an item as it was read, which never comes back: versions increase, and no id is
	// used twice.
	passing bool
}

// Tx begins a transaction. All its attempts carry the same client token, so DynamoDB does not apply it a second time if
// an answer was lost.
func (t Table) Tx() *Tx {
	return &Tx{table: t, tx: t.db.WriteTx().Idempotent(true)}
}

// Passing declares that each condition may hold later although it fails now, because others may set the values that it
// expects again.
func (tx *Tx) Passing() *Tx {
	tx.passing = true
	return tx
}

// Table returns the table to which the transaction writes.
func (tx *Tx) Table() Table { return tx.table }

// Len returns the number of operations.
func (tx *Tx) Len() int { return len(tx.refusals) }

// Put adds a put. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Put(p *dynamo.Put, unmet error) {
	tx.tx.Put(p)
	tx.refusals = append(tx.refusals, refusal{unmet, true})
}

// Update adds an update. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Update(u *dynamo.Update, unmet error) {
	tx.tx.Update(u)
	tx.refusals = append(tx.refusals, refusal{unmet, false})
}

// Delete adds a deletion. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Delete(d *dynamo.Delete, unmet error) {
	tx.tx.Delete(d)
	tx.refusals = append(tx.refusals, refusal{unmet, false})
}

// Check adds a condition on an item that is not written. [Tx.Run] returns unmet if it fails.
func (tx *Tx) Check(c *dynamo.ConditionCheck, unmet error) {
	tx.tx.Check(c)
	tx.refusals = append(tx.refusals, refusal{unmet, false})
}

// Run writes. If conditions fail, it returns the error given with the first of them. If an earlier attempt went
// unanswered and the condition may hold later (a put's, or any of a [Tx.Passing] transaction), the error also wraps
// [ErrUnknown]: the earlier attempt may arrive at a moment when the condition holds.
func (tx *Tx) Run(ctx context.Context) error {
	if tx.table.note != nil {
		if err := tx.table.note(ctx); err != nil {
			return err
		}
	}
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
