package contention_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/samtemplatetest"
)

// table is the name of the table in samtemplatetest.OneTable.
const table = "desk-Table"

// fakeDatabase answers every call with the same consumed units, and keeps the calls.
type fakeDatabase struct {
	mu     sync.Mutex
	bodies []string
	units  float64
}

// ServeHTTP keeps the call. Without units its answer says nothing about capacity, like that to a failed condition.
func (f *fakeDatabase) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bodies = append(f.bodies, string(body))
	if f.units == 0 {
		io.WriteString(w, "{}")
		return
	}
	fmt.Fprintf(w, `{"ConsumedCapacity":{"CapacityUnits":%v}}`, f.units)
}

// got returns the calls so far.
func (f *fakeDatabase) got() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.bodies)
}

// bed is a contended database without a network. In a synctest bubble, only its own waits make time pass.
type bed struct {
	*contention.Database
	fake fakeDatabase
}

// newBed returns a contended database in front of a fake one.
func newBed(t *testing.T, c *contention.Config) *bed {
	t.Helper()
	b := &bed{}
	access := dynamodb.NewAccess(samtemplatetest.MustParse(t, samtemplatetest.OneTable).Tables, samtemplatetest.Values)
	b.Database = contention.New(c, access, &b.fake)
	return b
}

// send sends one call. It returns the code of the error, or "", followed by the codes of a cancelled transaction, and
// the answer.
func (b *bed) send(ctx context.Context, operation, body string) (code string, answer string) {
	r := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	var out struct {
		Type                string `json:"__type"`
		CancellationReasons []struct{ Code string }
	}
	_ = json.Unmarshal(w.Body.Bytes(), &out)
	_, code, _ = strings.Cut(out.Type, "#")
	for _, reason := range out.CancellationReasons {
		code += " " + reason.Code
	}
	return code, w.Body.String()
}

// key returns the JSON of a key. The functions below return that of requests and of a transaction's operations.
func key(pk, sk string) string { return fmt.Sprintf(`{"PK":{"S":%q},"SK":{"S":%q}}`, pk, sk) }
func item(field, pk, sk string) string {
	return fmt.Sprintf(`{"TableName":%q,%q:%s}`, table, field, key(pk, sk))
}
func transaction(token string, writes ...string) string {
	return fmt.Sprintf(`{"ClientRequestToken":%q,"TransactItems":[%s]}`, token, strings.Join(writes, ","))
}
func put(pk, sk string) string   { return `{"Put":` + item("Item", pk, sk) + `}` }
func check(pk, sk string) string { return `{"ConditionCheck":` + item("Key", pk, sk) + `}` }

// held simulates only transactions, which hold their items for a second.
var held = &contention.Config{Hold: contention.Span{Shortest: time.Second, Longest: time.Second}}

// TestATransactionHoldsItsItems shows which operations conflict with a running transaction. Reads outside of
// transactions never do. After the transaction's end, all of them succeed.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
func TestATransactionHoldsItsItems(t *testing.T) {
	const conflict = "TransactionConflict"
	query := fmt.Sprintf(`{"TableName":%q,"KeyConditionExpression":"PK = :p",`+
		`"ExpressionAttributeValues":{":p":{"S":"A"}}}`, table)
	batch := fmt.Sprintf(`{"RequestItems":{%q:{"Keys":[%s]}}}`, table, key("A", "1"))
	for _, c := range []struct{ name, operation, body, want string }{
		{"a transaction on another item", "TransactWriteItems", transaction("u", put("A", "2")), ""},
		{"a transaction on one of them", "TransactWriteItems", transaction("u", put("B", "1"), put("A", "1")),
			"TransactionCanceledException None " + conflict},
		{"a transaction that checks what is written", "TransactWriteItems", transaction("u", check("A", "1")),
			"TransactionCanceledException " + conflict},
		// A condition check holds its item like a write does, even against another check.
		{"a transaction that checks what is checked", "TransactWriteItems", transaction("u", check("C", "1")),
			"TransactionCanceledException " + conflict},
		{"a transaction that reads", "TransactGetItems", transaction("", `{"Get":`+item("Key", "A", "1")+`}`),
			"TransactionCanceledException " + conflict},
		{"a put", "PutItem", item("Item", "A", "1"), conflict + "Exception"},
		{"an update", "UpdateItem", item("Key", "A", "1"), conflict + "Exception"},
		{"a delete of what is checked", "DeleteItem", item("Key", "C", "1"), conflict + "Exception"},
		// DynamoDB serves these without isolation: they see the items before or after the transaction.
		{"a get", "GetItem", item("Key", "A", "1"), ""},
		{"a batch of reads", "BatchGetItem", batch, ""},
		{"a query", "Query", query, ""},
		{"a scan", "Scan", fmt.Sprintf(`{"TableName":%q}`, table), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The transaction holds an item that it writes, and one that it only checks.
				b := newBed(t, held)
				go b.send(t.Context(), "TransactWriteItems", transaction("t", put("A", "1"), check("C", "1")))
				synctest.Wait()
				if code, answer := b.send(t.Context(), c.operation, c.body); code != c.want {
					t.Errorf("while it is under way: %s, want %q", answer, c.want)
				}
				// Three seconds are enough for this transaction and for that of the case, which hold their items for a
				// second each.
				time.Sleep(3 * time.Second)
				if code, answer := b.send(t.Context(), c.operation, c.body); code != "" {
					t.Errorf("after its end: %s", answer)
				}
			})
		})
	}
}

// reordered sorts the members of a body's objects by name. It panics if the body is sorted already: then the case that
// uses it would show nothing.
func reordered(body string) string {
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		panic(err)
	}
	text, err := json.Marshal(v)
	if err != nil || string(text) == body {
		panic(fmt.Sprintf("%s, %v", text, err))
	}
	return string(text)
}

// TestATransactionIsRepeatedWhileItIsUnderWay shows what a repetition with the same client token gets, and that the
// order of JSON members does not make it another request.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func TestATransactionIsRepeatedWhileItIsUnderWay(t *testing.T) {
	for _, c := range []struct{ name, again, want string }{
		{"the same", transaction("t", put("A", "1")), "TransactionInProgressException"},
		{"the same in another order", reordered(transaction("t", put("A", "1"))), "TransactionInProgressException"},
		// A token stands for one request. With other content it is a mistake of the caller, and a retry cannot help.
		{"other items", transaction("t", put("B", "1")), "IdempotentParameterMismatchException"},
		{"another token", transaction("u", put("A", "1")), "TransactionCanceledException TransactionConflict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, nil) // a slow transaction needs no other contention
				slow := contention.Slow(t.Context(), 4500*time.Millisecond)
				ctx, leave := context.WithTimeout(slow, 2*time.Second) // the caller does not wait
				defer leave()
				go b.send(ctx, "TransactWriteItems", transaction("t", put("A", "1")))
				time.Sleep(4 * time.Second)
				if code, answer := b.send(t.Context(), "TransactWriteItems", c.again); code != c.want {
					t.Errorf("%s, want %s", answer, c.want)
				}
				// Four of the 4.5 seconds are over, and the caller left two seconds ago.
				if n := len(b.fake.got()); n != 0 {
					t.Errorf("%d transactions were applied before their time", n)
				}
				time.Sleep(time.Second)
				if n := len(b.fake.got()); n != 1 {
					t.Errorf("%d transactions were applied, want the slow one", n)
				}
				if code, answer := b.send(t.Context(), "TransactWriteItems", c.again); code != "" {
					t.Errorf("after its end: %s", answer) // from now on the database knows the token
				}
			})
		})
	}
}

// TestAPartitionHasItsUnits shows how many calls a partition serves at once, that it recovers within a second, and that
// other partitions are not affected.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func TestAPartitionHasItsUnits(t *testing.T) {
	config := &contention.Config{WriteUnits: 10, ReadUnits: 30}
	const throttled = "ThrottlingException"
	for _, c := range []struct {
		name, operation, body string
		units                 float64 // of each answer
		served                int     // at once; two seconds later as many again
		want                  string
	}{
		{"writes of 1 KB", "PutItem", item("Item", "A", "1"), 1, 10, throttled},
		// After three writes one of ten units is left, which is the least that a write needs. The fourth one goes
		// into debt.
		{"writes of 3 KB go on until there is less than one unit", "PutItem", item("Item", "A", "1"), 3, 4, throttled},
		{"strongly consistent reads", "GetItem", item("Key", "A", "1"), 1, 30, throttled},
		{"eventually consistent reads", "GetItem", item("Key", "A", "1"), 0.5, 60, throttled},
		// The answer to a failed condition tells no units, so the least is charged: one.
		{"a failed condition consumes, too", "PutItem", item("Item", "A", "1"), 0, 10, throttled},
		// Two items of one unit each cost four. B and A are different partitions, so each pays two of its ten.
		{"transactions cost double", "TransactWriteItems", transaction("", check("B", "1"), put("A", "1")), 4, 5,
			"TransactionCanceledException ThrottlingError None"},
		{"a query", "Query", fmt.Sprintf(`{"TableName":%q,"KeyConditionExpression":"PK = :p",`+
			`"ExpressionAttributeValues":{":p":{"S":"A"}}}`, table), 15, 2, throttled},
		{"a batch of one partition", "BatchGetItem",
			fmt.Sprintf(`{"RequestItems":{%q:{"Keys":[%s,%s]}}}`, table, key("A", "1"), key("A", "2")),
			2, 15, throttled},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, config)
				b.fake.units = c.units
				for round := range 2 {
					for i := range c.served {
						if code, _ := b.send(t.Context(), c.operation, c.body); code != "" {
							t.Fatalf("round %d: %s after %d calls, want %d", round, code, i, c.served)
						}
					}
					if code, _ := b.send(t.Context(), c.operation, c.body); code != c.want {
						t.Fatalf("round %d: %q after %d calls, want %s", round, code, c.served, c.want)
					}
					// The same call on other partitions.
					other := strings.ReplaceAll(strings.ReplaceAll(c.body, `"A"`, `"Z"`), `"B"`, `"Y"`)
					if code, _ := b.send(t.Context(), c.operation, other); code != "" {
						t.Errorf("another partition: %s", code)
					}
					time.Sleep(2 * time.Second)
				}
				// Only the answer tells how large the items are, so the database is asked for the units even if the
				// caller did not ask.
				if first := b.fake.got()[0]; !strings.HasPrefix(first, `{"ReturnConsumedCapacity":"TOTAL",`) {
					t.Errorf("the database was asked %s", first)
				}
			})
		})
	}
}

// TestABatchIsServedWithoutWhatIsThrottled shows that a batch returns throttled items as unprocessed, in the form in
// which they were sent.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
func TestABatchIsServedWithoutWhatIsThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, &contention.Config{WriteUnits: 1, ReadUnits: 1})
		for _, operation := range []string{"BatchGetItem", "BatchWriteItem"} {
			// The partition A has units for one item of the batch, so the second one is left. B is not affected.
			left := `{"` + table + `":{"ConsistentRead":true,"Keys":[` + key("A", "2") + `]}}`
			body := fmt.Sprintf(`{"RequestItems":{%q:{"ConsistentRead":true,"Keys":[%s,%s,%s]}}}`,
				table, key("A", "1"), key("A", "2"), key("B", "1"))
			name, single, field := "UnprocessedKeys", "GetItem", "Key"
			if operation == "BatchWriteItem" {
				write := func(sk string) string { return `{"DeleteRequest":{"Key":` + key("A", sk) + `}}` }
				left = `{"` + table + `":[` + write("2") + `]}`
				body = fmt.Sprintf(`{"RequestItems":{%q:[%s,%s,{"DeleteRequest":{"Key":%s}}]}}`,
					table, write("1"), write("2"), key("B", "1"))
				name, single, field = "UnprocessedItems", "PutItem", "Item"
			}
			time.Sleep(2 * time.Second)
			if single == "GetItem" { // uses half of the units
				b.send(t.Context(), single, item(field, "A", "1"))
			}
			_, answer := b.send(t.Context(), operation, body)
			var out map[string]json.RawMessage
			if err := json.Unmarshal([]byte(answer), &out); err != nil || string(out[name]) != left {
				t.Errorf("%s: answer %s, want %s %s", operation, answer, name, left)
			}
			calls := b.fake.got()
			served := calls[len(calls)-1]
			expect.Lacks(t, served, key("A", "2"), operation)
			expect.Contains(t, served, key("B", "1"), operation)
		}
	})
}

// TestWhatIsDrawn shows that the same seed gives the same times, and that latencies stay within their limits.
func TestWhatIsDrawn(t *testing.T) {
	config := *contention.AWS()
	config.Seed, config.Unprocessed = rand.Uint64(), 0.25
	batch := fmt.Sprintf(`{"RequestItems":{%q:{"Keys":[%s,%s]}}}`, table, key("A", "1"), key("B", "1"))
	draw := func() (took []time.Duration, unprocessed int) {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t, &config)
			for range 1000 {
				began := time.Now()
				if _, answer := b.send(t.Context(), "BatchGetItem", batch); strings.Contains(answer, "Unprocessed") {
					unprocessed++
				}
				took = append(took, time.Since(began))
			}
		})
		return took, unprocessed
	}
	// Each drawing has a bubble of its own, in which only the simulated latency takes time.
	took, unprocessed := draw()
	again, _ := draw()
	if !slices.Equal(took, again) {
		t.Error("with one seed, calls took other times")
	}
	slices.Sort(took)
	// 99.5 % of the calls take 2 to 15 ms, the others up to ten times as long.
	expect.AtLeast(t, took[0], 2*time.Millisecond)
	expect.AtMost(t, took[900], 15*time.Millisecond)
	expect.AtMost(t, took[999], 150*time.Millisecond)
	// A quarter of 1,000 is 250; a fair drawing stays within these limits practically always.
	if unprocessed < 150 || unprocessed > 350 {
		t.Errorf("of %d batches a key was unprocessed, want about 250", unprocessed)
	}
}

// TestContentionCanPause shows that a call passes unchanged while contention is switched off.
func TestContentionCanPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		active := true
		b := newBed(t, &contention.Config{WriteUnits: 1, Active: func() bool { return active }})
		for i, want := range []string{"", "ThrottlingException", ""} {
			// Two calls with contention, of which the second finds no units, and one without.
			active = i < 2
			if code, _ := b.send(t.Context(), "PutItem", item("Item", "A", "1")); code != want {
				t.Errorf("call %d: %q, want %q", i, code, want)
			}
		}
		if b.fake.got()[1] != item("Item", "A", "1") {
			t.Errorf("the database got %s", b.fake.got()[1])
		}
	})
}
