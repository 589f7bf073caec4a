package contention

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/awsform"
)

// transact serves a TransactWriteItems. The transaction holds its items from beginning to end. It runs to its end even
// if its caller leaves; then the answer is nil.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
func (d *Database) transact(r *http.Request, c call) *answer {
	var in struct{ ClientRequestToken string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		// The database explains why.
		return d.forward(r, c)
	}
	end, refusal := d.begin(in.ClientRequestToken, c)
	if refusal != nil {
		return refused(refusal)
	}
	// Room for one answer: the goroutine must not wait for a caller that has left.
	ended := make(chan *answer, 1)
	go func() {
		took := c.slow
		if c.active {
			took += d.draw(d.config.Hold)
		}
		ctx := context.WithoutCancel(r.Context())
		// The wait comes before the database's turn. Until then the transaction has its items, and has changed none.
		_ = sleep(ctx, took)
		a := d.apply(r.WithContext(ctx), c)
		end() // before the caller gets the answer: its next transaction may need the same items
		ended <- a
	}()
	select {
	case a := <-ended:
		return a
	case <-r.Context().Done():
		return nil
	}
}

// apply passes a transaction to the database.
func (d *Database) apply(r *http.Request, c call) *answer {
	if c.active && d.random() < d.config.ReadCommitted {
		return d.applySlowly(r, c)
	}
	return d.reads.share(func() *answer { return d.forward(r, c) })
}

// begin takes the items and the token of a transaction until its end, or refuses the transaction. Tokens of
// transactions that have succeeded are left to the database, which remembers them.
func (d *Database) begin(token string, c call) (end func(), refusal *awsform.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A token of a running transaction is checked here, because the database does not know the transaction yet.
	if body, running := d.running[token]; running && body == canonical(c.body) {
		return nil, badRequest("TransactionInProgressException",
			"The transaction with the given request token is already in progress.")
	} else if running {
		return nil, badRequest("IdempotentParameterMismatchException",
			"Provided idempotency token has already been used with different parameters.")
	}
	refusal = d.conflict(c)
	if refusal != nil {
		return nil, refusal
	}
	if c.active {
		refusal = d.admit(c)
		if refusal != nil {
			return nil, refusal
		}
	}
	// Without contention nothing takes time, so nothing has to be held.
	if !c.active && c.slow == 0 {
		return func() {}, nil
	}
	for _, item := range c.items {
		d.held[item.Key] = true
	}
	if token != "" {
		d.running[token] = canonical(c.body)
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, item := range c.items {
			delete(d.held, item.Key)
		}
		delete(d.running, token)
	}, nil
}

// canonical returns a body in a form that can be compared: clients may write the members of an object in any order.
func canonical(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return string(body)
	}
	text, _ := json.Marshal(v) // what was decoded can be encoded
	return string(text)
}

// conflict refuses an operation on an item of a running transaction. Reads outside of transactions are allowed. The
// caller holds the lock.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
func (d *Database) conflict(c call) *awsform.Error {
	var at []int
	for i, item := range c.items {
		if d.held[item.Key] {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	return Conflict(c.operation, len(c.items), at...)
}

// Conflict returns the answer to an operation on n items that conflicts at some of them, or nil for an operation that
// cannot conflict.
func Conflict(operation string, n int, at ...int) *awsform.Error {
	const code, ongoing = "TransactionConflict", "Transaction is ongoing for the item"
	switch operation {
	case "PutItem", "UpdateItem", "DeleteItem":
		return badRequest(code+"Exception", ongoing)
	case "TransactWriteItems", "TransactGetItems":
		return cancelled(n, code, ongoing, at...)
	}
	return nil
}

// cancelled returns the answer to a cancelled transaction of n items, with the reason for the items at some indexes.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func cancelled(n int, code, message string, at ...int) *awsform.Error {
	codes := slices.Repeat([]string{"None"}, n)
	reasons := slices.Repeat([]map[string]string{{"Code": "None"}}, n)
	for _, i := range at {
		codes[i], reasons[i] = code, map[string]string{"Code": code, "Message": message}
	}
	return badRequest("TransactionCanceledException", "Transaction cancelled, please refer cancellation reasons for "+
		"specific reasons ["+strings.Join(codes, ", ")+"]").With("CancellationReasons", reasons)
}

// badRequest returns an error of DynamoDB, with status 400.
func badRequest(code, message string) *awsform.Error {
	return awsform.New(http.StatusBadRequest, awsform.DynamoDB+code, message)
}
