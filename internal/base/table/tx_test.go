package table_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"
)

// counter is an item with a number, which shows how often an update was applied.
type counter struct {
	table.Key
	N int
}

// trip is what a call takes at least. In a bubble, calls would take no time, and be repeated without an end.
const trip = time.Millisecond

// faulty opens a table on a real database that fails the first calls, one per answer, and passes on the others. "cut"
// applies the call and drops the connection, "cut before" drops it without applying the call, "slow" never answers, and
// unprocessed does nothing of a batch. Any other answer is sent as an error.
func faulty(t testing.TB, answers ...string) (table.Table, *atomic.Int64) {
	t.Helper()
	return faultyOn(fixture.Start(t, fixture.WithoutFunctions(t)), answers...)
}

// faultyOn is [faulty] on the database of a running stack.
func faultyOn(stack *fixture.Stack, answers ...string) (table.Table, *atomic.Int64) {
	direct, calls, cfg := stack.Account().Database.Forward(), new(atomic.Int64), stack.Operator()
	cfg.HTTPClient = httpClient(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		time.Sleep(trip)
		answer := "passed on"
		if n := int(calls.Add(1)); n <= len(answers) {
			answer = answers[n-1]
		}
		switch answer {
		case "passed on", "cut":
			direct.ServeHTTP(w, r)
		case "cut before":
		case "slow":
			<-r.Context().Done()
			return nil, r.Context().Err()
		case unprocessed:
			unprocess(w, r)
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, answer)
		}
		if strings.HasPrefix(answer, "cut") {
			return nil, io.EOF // as net/http says it
		}
		return w.Result(), nil
	})
	return table.Open(cfg, stack.Environ()["TABLE_NAME"]), calls
}

// Errors as DynamoDB sends them.
var (
	conflict  = cancelled("None", "TransactionConflict")
	condition = cancelled("TransactionConflict", "ConditionalCheckFailed")
	busy      = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException"}`
	single    = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException"}`
	denied    = `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException"}`
	throttle  = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`
)

const unprocessed = "unprocessed"

// unprocess answers that nothing of a batch was done.
func unprocess(w http.ResponseWriter, r *http.Request) {
	var in struct{ RequestItems json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	kind := "UnprocessedKeys"
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "BatchWriteItem") {
		kind = "UnprocessedItems"
	}
	fmt.Fprintf(w, `{%q:%s}`, kind, in.RequestItems)
}

// cancelled is the answer for a cancelled transaction, with a reason for each operation.
func cancelled(codes ...string) string {
	return `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",` +
		`"CancellationReasons":[{"Code":"` + strings.Join(codes, `"},{"Code":"`) + `"}]}`
}

// repeat returns an answer n times.
func repeat(answer string, n int) (list []string) {
	for range n {
		list = append(list, answer)
	}
	return list
}

// TestTransactionsAreRepeated shows which answers lead to another attempt, and that a transaction is applied once
// however many answers are lost. After a lost answer, a refusal counts if one of its conditions is final.
func TestTransactionsAreRepeated(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack, n := fixture.Start(t, fixture.WithoutFunctions(t)), id.ID(0)
		for name, c := range map[string]struct {
			answers []string
			calls   int64
			kind    api.ErrorKind // "" for success
		}{
			"not without need":                    {nil, 1, ""},
			"after a conflict":                    {[]string{conflict}, 2, ""},
			"after twenty conflicts":              {repeat(conflict, 20), 21, ""},
			"after one that is still in progress": {[]string{busy}, 2, ""},
			"after throttling":                    {[]string{throttle}, 2, ""},
			"after throttling of an item":         {[]string{cancelled("ThrottlingError", "None")}, 2, ""},
			"after throttling and a conflict": {
				[]string{cancelled("ThrottlingError", "TransactionConflict")}, 2, "",
			},
			"after a lost answer, applied once":   {[]string{"cut"}, 2, ""},
			"after several lost answers":          {repeat("cut", 12), 13, ""},
			"after all of them, applied once":     {[]string{"cut", busy, throttle, conflict, "cut"}, 6, ""},
			"not when a condition failed as well": {[]string{condition}, 1, api.NotFound},
			"a taken key does not count after a lost one": {
				[]string{"cut before", cancelled("ConditionalCheckFailed", "None")}, 2, api.Unavailable,
			},
			"a final condition counts after a lost one": {[]string{"cut before", condition}, 2, api.NotFound},
			// The error is that of the first condition, which is not final by itself.
			"a final one beside another counts after a lost one": {
				[]string{"cut before", cancelled("ConditionalCheckFailed", "ConditionalCheckFailed")}, 2, api.Internal,
			},
			"no refusal counts after a lost one":   {[]string{"cut before", denied}, 2, api.Unavailable},
			"a condition after throttling counts":  {[]string{throttle, condition}, 2, api.NotFound},
			"not when DynamoDB cannot take it":     {[]string{cancelled("None", "ValidationError")}, 1, api.Internal},
			"not when DynamoDB does not permit it": {[]string{denied}, 1, api.Internal},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tab, calls := faultyOn(stack, c.answers...)
				n++
				key, other := table.MailKey(2*n), table.MailKey(2*n+1)
				tx := tab.Tx()
				tx.Put(tab.Put(counter{Key: other}).If("attribute_not_exists(PK)"), errors.New("taken"))
				// The update counts how often the transaction was applied.
				tx.Update(tab.UpdateItem(key).Add("N", 1), table.Final(api.Errorf(api.NotFound, "gone")))
				err := tx.Run(t.Context())
				if got := calls.Load(); got != c.calls {
					t.Errorf("%d calls, want %d", got, c.calls)
				}
				if got := kindOf(err); got != c.kind {
					t.Errorf("error %v, want kind %q", err, c.kind)
				}
				if unknown := errors.Is(err, table.ErrUnknown); unknown != (c.kind == api.Unavailable) {
					t.Errorf("error %v, unknown %t", err, unknown)
				}
				if answer, ok := errors.AsType[*api.Error](err); ok {
					refused := strings.HasPrefix(name, "a taken key")
					expect.Equal(t, answer.Cause == table.Unconfirmed, refused, "the log has the cause")
				}
				if err != nil {
					return
				}
				items, err := tab.Read(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				var got counter
				found, err := items.Get(key, &got)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, found, true)
				expect.Equal(t, got.N, 1)
			})
		}
	})
}

// kindOf returns the kind of an error, or "" for nil.
func kindOf(err error) api.ErrorKind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Kind
	}
	return api.Internal
}

// TestWhatHasNoSuccessEndsWithTheDeadline shows that calls end in time for an answer. The error says why, and whether
// the outcome is unknown.
func TestWhatHasNoSuccessEndsWithTheDeadline(t *testing.T) {
	t.Parallel()
	put := func(ctx context.Context, tab table.Table) error {
		return tab.Put(counter{Key: table.MailKey(1)}).Run(ctx)
	}
	transact := func(ctx context.Context, tab table.Table) error {
		tx := tab.Tx()
		tx.Put(tab.Put(counter{Key: table.MailKey(1)}), nil)
		return tx.Run(ctx)
	}
	read := func(ctx context.Context, tab table.Table) error {
		_, err := tab.Read(ctx, table.MailKey(1))
		return err
	}
	remove := func(ctx context.Context, tab table.Table) error {
		_, err := tab.DeleteAll(ctx, table.MailKey(1))
		return err
	}
	many := func(answer string) []string { return repeat(answer, 1000) }
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		for name, c := range map[string]struct {
			do      func(context.Context, table.Table) error
			answers []string
			kind    api.ErrorKind
			unknown bool
		}{
			"transaction in conflict":          {transact, many(conflict), api.Conflict, false},
			"transaction throttled":            {transact, many(throttle), api.Unavailable, false},
			"transaction throttled at an item": {transact, many(cancelled("ThrottlingError")), api.Unavailable, false},
			"transaction in progress":          {transact, many(busy), api.Unavailable, true},
			"transaction without an answer":    {transact, many("cut"), api.Unavailable, true},
			"transaction lost and then in conflict": {
				transact, append([]string{"cut before"}, many(conflict)...), api.Unavailable, true,
			},
			"transaction that takes too long": {transact, []string{"slow"}, api.Unavailable, true},
			"write in conflict":               {put, many(single), api.Conflict, false},
			"write throttled":                 {put, many(throttle), api.Unavailable, false},
			"write without an answer":         {put, many("cut"), api.Unavailable, true},
			"read throttled":                  {read, many(throttle), api.Unavailable, false},
			"read of unprocessed keys":        {read, many(unprocessed), api.Unavailable, false},
			"deletion of unprocessed items":   {remove, many(unprocessed), api.Unavailable, false},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tab, calls := faultyOn(stack, c.answers...)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err := c.do(ctx, tab)
				if kindOf(err) != c.kind || errors.Is(err, table.ErrUnknown) != c.unknown {
					t.Errorf("error %v, want kind %q", err, c.kind)
				}
				if calls.Load() < 2 && c.answers[0] != "slow" {
					t.Errorf("%d calls", calls.Load())
				}
				if err := context.Cause(ctx); err != nil && c.answers[0] != "slow" {
					t.Error("there is no time left for an answer")
				}
			})
		}
	})
}

// TestAnAttemptThatTheDeadlineWouldCutIsNotBegun shows that a slow database gets no last attempt whose outcome would
// be unknown.
func TestAnAttemptThatTheDeadlineWouldCutIsNotBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		tab := answeredBy(t, func(w http.ResponseWriter) {
			calls.Add(1)
			// After 0.8 s of 2 s, twice that time no longer fits.
			time.Sleep(800 * time.Millisecond)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, conflict)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		tx := tab.Tx()
		tx.Put(tab.Put(counter{Key: table.MailKey(1)}), nil)
		err := tx.Run(ctx)
		expect.Equal(t, kindOf(err), api.Conflict)
		expect.Equal(t, errors.Is(err, table.ErrUnknown), false, "error is table.ErrUnknown")
		expect.Equal(t, calls.Load(), 1)
	})
}

// answeredBy opens a table on a database that answers with a function.
func answeredBy(t *testing.T, answer func(http.ResponseWriter)) table.Table {
	t.Helper()
	return table.Open(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String("http://database.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		HTTPClient: httpClient(func(*http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			time.Sleep(trip)
			answer(w)
			return w.Result(), nil
		}),
	}, "frontdesk")
}

// TestCallsThatMeetSomethingPassingAreRepeated shows that calls other than transactions are repeated too.
func TestCallsThatMeetSomethingPassingAreRepeated(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		if err := stack.Table.Put(counter{Key: table.MailKey(1)}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			do      func(context.Context, table.Table) (done int, err error)
			answers []string
		}{
			"write": {
				func(ctx context.Context, tab table.Table) (int, error) {
					return 1, tab.Put(counter{Key: table.MailKey(2)}).Run(ctx)
				}, []string{single, single, throttle, "cut"},
			},
			"read": {
				func(ctx context.Context, tab table.Table) (int, error) {
					items, err := tab.Read(ctx, table.MailKey(1))
					return len(items), err
				}, []string{unprocessed, throttle, unprocessed, "cut"},
			},
			"deletion": {
				func(ctx context.Context, tab table.Table) (int, error) { return tab.DeleteAll(ctx, table.MailKey(3)) },
				[]string{unprocessed, throttle, unprocessed, "cut"},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tab, calls := faultyOn(stack, c.answers...)
				done, err := c.do(t.Context(), tab)
				got := calls.Load()
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, done, 1)
				expect.Equal(t, got, int64(len(c.answers)+1), "calls.Load()")
			})
		}
	})
}

// TestManyClientsOfOneItemAllGetThrough shows that the random, growing pauses let 64 clients through within a request's
// time, on a database that holds an item for 10 ms.
func TestManyClientsOfOneItemAllGetThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var item sync.Mutex
		tab := answeredBy(t, func(w http.ResponseWriter) {
			if !item.TryLock() {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, conflict)
				return
			}
			time.Sleep(10 * time.Millisecond)
			item.Unlock()
			fmt.Fprint(w, "{}")
		})
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		var clients sync.WaitGroup
		for range 64 {
			clients.Go(func() {
				tx := tab.Tx()
				tx.Put(tab.Put(counter{Key: table.MailKey(1)}), nil)
				if err := tx.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	})
}

// TestTheFirstConditionThatFailedNamesTheError shows that each kind of operation brings its own error.
func TestTheFirstConditionThatFailedNamesTheError(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		tab, _ := faulty(t)
		there, absent := table.MailKey(1), table.MailKey(2)
		if err := tab.Put(counter{Key: there}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		errPut, errUpdate := errors.New("put"), errors.New("update")
		errDelete, errCheck := errors.New("delete"), errors.New("check")
		put := func() *dynamo.Put { return tab.Put(counter{Key: there}) }
		for name, c := range map[string]struct {
			add  func(*table.Tx)
			want error
		}{
			"none": {func(tx *table.Tx) { tx.Put(put(), errPut) }, nil},
			"put":  {func(tx *table.Tx) { tx.Put(put().If("attribute_not_exists(PK)"), errPut) }, errPut},
			"update": {func(tx *table.Tx) {
				tx.Update(tab.UpdateItem(absent).Add("N", 1).If("attribute_exists(PK)"), errUpdate)
			}, errUpdate},
			"delete": {func(tx *table.Tx) {
				tx.Delete(tab.DeleteItem(absent).If("attribute_exists(PK)"), errDelete)
			}, errDelete},
			"check": {func(tx *table.Tx) { tx.Check(tab.CheckItem(absent).IfExists(), errCheck) }, errCheck},
			"the first of two": {func(tx *table.Tx) {
				tx.Put(put().If("attribute_not_exists(PK)"), errPut)
				tx.Check(tab.CheckItem(absent).IfExists(), errCheck)
			}, errPut},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tx := tab.Tx()
				c.add(tx)
				if err := tx.Run(t.Context()); err != c.want {
					t.Errorf("error %v, want %v", err, c.want)
				}
			})
		}
	})
}

// httpClient sends the calls of the SDK.
type httpClient func(*http.Request) (*http.Response, error)

func (c httpClient) Do(r *http.Request) (*http.Response, error) { return c(r) }
