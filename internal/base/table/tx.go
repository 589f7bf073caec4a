package table

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// MaxWrites is DynamoDB's limit of operations in a transaction.
const MaxWrites = 100

// Tx is a transaction: all of its writes happen, or none. It has at most [MaxWrites] operations, each on a different
// item. [Final] says which of its refusals are told.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
type Tx struct {
	table      Table
	tx         *dynamo.WriteTx
	conditions []condition // of the operations, in their order
}

// Tx begins a transaction. All its attempts carry the same client token, so DynamoDB does not apply it a second time if
// an answer was lost.
func (t Table) Tx() *Tx {
	return &Tx{table: t, tx: t.db.WriteTx().Idempotent(true)}
}

// Table returns the table to which the transaction writes.
func (tx *Tx) Table() Table { return tx.table }

// Len returns the number of operations.
func (tx *Tx) Len() int { return len(tx.conditions) }

// Put adds a put. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Put(p *dynamo.Put, unmet error) {
	tx.tx.Put(p)
	tx.conditions = append(tx.conditions, newCondition(unmet))
}

// Update adds an update. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Update(u *dynamo.Update, unmet error) {
	tx.tx.Update(u)
	tx.conditions = append(tx.conditions, newCondition(unmet))
}

// Delete adds a deletion. [Tx.Run] returns unmet if its condition fails.
func (tx *Tx) Delete(d *dynamo.Delete, unmet error) {
	tx.tx.Delete(d)
	tx.conditions = append(tx.conditions, newCondition(unmet))
}

// Check adds a condition on an item that is not written. [Tx.Run] returns unmet if it fails.
func (tx *Tx) Check(c *dynamo.ConditionCheck, unmet error) {
	tx.tx.Check(c)
	tx.conditions = append(tx.conditions, newCondition(unmet))
}

// Run writes. If conditions fail, it returns the error given with the first of them. If an earlier attempt went
// unanswered and none of the failed conditions is [Final], the error also wraps [ErrUnknown]: the earlier attempt may
// arrive at a moment when all conditions hold.
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
	var failed []condition
	for i, reason := range cancelled.CancellationReasons {
		if i < len(tx.conditions) && aws.ToString(reason.Code) == "ConditionalCheckFailed" {
			failed = append(failed, tx.conditions[i])
		}
	}
	if len(failed) == 0 {
		return err
	}
	return refusal(failed, err)
}
