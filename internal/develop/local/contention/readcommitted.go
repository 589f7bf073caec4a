package contention

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/dynamodb"
)

// applySlowly applies a transaction so that reads which meet it see its items one after another: some as they were,
// some as they are. DynamoDB promises no more to queries, scans, batches and reads one after another. They see all of
// the transaction once it is answered.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
//
// The database knows no such state. So the transaction is applied at once, while nothing reads. Its items are put back
// as they were, and then written one by one, from the first to the last or the other way round. Nobody else can write
// them meanwhile, because the transaction holds them.
func (d *Database) applySlowly(r *http.Request, c call) *answer {
	written, err := d.access.Written(c.body)
	if err != nil {
		// The database explains why.
		return d.forward(r, c)
	}
	states, a, err := d.applyAndPutBack(r, c, written)
	if err != nil || a.status != http.StatusOK {
		return orFailure(a, err)
	}
	if d.random() < 0.5 {
		slices.Reverse(states)
	}
	step := d.draw(d.config.Hold) / max(1, time.Duration(len(states)))
	for _, s := range states {
		_ = sleep(r.Context(), step)
		if err := d.put(r, s.WrittenItem, s.after); err != nil {
			return orFailure(nil, err)
		}
	}
	return a
}

// orFailure returns the answer, or that of a database that failed.
func orFailure(a *answer, err error) *answer {
	if err == nil {
		return a
	}
	return refused(awsform.New(http.StatusInternalServerError, awsform.DynamoDB+"InternalServerError", err.Error()))
}

// state is an item of a transaction before and after it, as JSON; nil means none.
type state struct {
	dynamodb.WrittenItem
	before, after json.RawMessage
}

// applyAndPutBack applies the transaction, and puts its items back as they were. Nothing reads meanwhile.
func (d *Database) applyAndPutBack(
	r *http.Request, c call, written []dynamodb.WrittenItem,
) (states []state, a *answer, err error) {
	end := d.reads.exclude()
	defer end()
	before, err := d.get(r, written)
	if err != nil {
		return nil, nil, err
	}
	a = d.forward(r, c)
	if a.status != http.StatusOK {
		return nil, a, nil
	}
	after, err := d.get(r, written)
	if err != nil {
		return nil, nil, err
	}
	for i, w := range written {
		states = append(states, state{w, before[i], after[i]})
	}
	return states, a, d.putBack(r, states)
}

// get reads items at one moment.
func (d *Database) get(r *http.Request, wanted []dynamodb.WrittenItem) ([]json.RawMessage, error) {
	items := make([]json.RawMessage, len(wanted))
	if len(wanted) == 0 {
		return items, nil
	}
	gets := make([]map[string]dynamodb.WrittenItem, len(wanted))
	for i, w := range wanted {
		gets[i] = map[string]dynamodb.WrittenItem{"Get": w}
	}
	var out struct {
		Responses []struct{ Item json.RawMessage }
	}
	if err := d.ask(r, "TransactGetItems", map[string]any{"TransactItems": gets}, &out); err != nil {
		return nil, err
	}
	for i, response := range out.Responses {
		items[i] = response.Item
	}
	return items, nil
}

// putBack writes items as they were before, 25 in a call: the limit of BatchWriteItem.
func (d *Database) putBack(r *http.Request, states []state) error {
	for some := range slices.Chunk(states, 25) {
		writes := map[string][]any{}
		for _, s := range some {
			var write any = map[string]any{"PutRequest": map[string]any{"Item": s.before}}
			if s.before == nil {
				write = map[string]any{"DeleteRequest": map[string]any{"Key": s.Key}}
			}
			writes[s.TableName] = append(writes[s.TableName], write)
		}
		if err := d.ask(r, "BatchWriteItem", map[string]any{"RequestItems": writes}, nil); err != nil {
			return err
		}
	}
	return nil
}

// put writes an item, or deletes it.
func (d *Database) put(r *http.Request, key dynamodb.WrittenItem, item json.RawMessage) error {
	if item == nil {
		return d.ask(r, "DeleteItem", key, nil)
	}
	return d.ask(r, "PutItem", map[string]any{"TableName": key.TableName, "Item": item}, nil)
}

// ask sends a call of its own to the database, and decodes the answer.
func (d *Database) ask(r *http.Request, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	a := &answer{header: http.Header{}, status: http.StatusOK}
	d.next.ServeHTTP(a, r)
	if a.status != http.StatusOK {
		return fmt.Errorf("%s: %s", operation, a.body.Bytes())
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(a.body.Bytes(), out)
}
