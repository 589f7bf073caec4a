package table_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/api"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// counter is an item that counts.
type counter struct {
	table.Key
	N int
}

// faulty opens a table on a real database behind a proxy that fails the first calls with an answer; "cut"
// applies the call and then loses the connection.
func faulty(t *testing.T, answers ...string) (table.Table, *atomic.Int64) {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	database, err := url.Parse(stack.Environ()["AWS_ENDPOINT_URL_DYNAMODB"])
	if err != nil {
		t.Fatal(err)
	}
	direct := httputil.NewSingleHostReverseProxy(database)
	calls := new(atomic.Int64)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(calls.Add(1))
		if n > len(answers) {
			direct.ServeHTTP(w, r)
			return
		}
		if answers[n-1] == "cut" {
			direct.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, answers[n-1])
	}))
	t.Cleanup(proxy.Close)
	cfg := stack.Operator()
	cfg.BaseEndpoint, cfg.Retryer = &proxy.URL, table.Retryer
	return table.Open(cfg, stack.Environ()["TABLE_NAME"]), calls
}

// Errors as DynamoDB answers them.
var (
	conflict  = cancelled("None", "TransactionConflict")
	condition = cancelled("TransactionConflict", "ConditionalCheckFailed")
	busy      = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException"}`
	single    = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException"}`
	throttle  = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`
)

// cancelled is the answer to a transaction that is cancelled, with the reason of each operation.
func cancelled(codes ...string) string {
	return `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",` +
		`"CancellationReasons":[{"Code":"` + strings.Join(codes, `"},{"Code":"`) + `"}]}`
}

func repeat(answer string, n int) (list []string) {
	for range n {
		list = append(list, answer)
	}
	return list
}

func TestTransactionsAreRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		calls   int64
		code    api.Code // -1 for success
	}{
		"not without need":                    {nil, 1, -1},
		"after a conflict":                    {[]string{conflict}, 2, -1},
		"after seven conflicts":               {repeat(conflict, 7), 8, -1},
		"not after eight":                     {repeat(conflict, 8), 8, api.Conflict},
		"after one that is still in progress": {[]string{busy}, 2, -1},
		"after throttling":                    {[]string{throttle}, 2, -1},
		"after a lost answer, applied once":   {[]string{"cut"}, 2, -1},
		"after several lost answers":          {repeat("cut", 3), 4, -1},
		"not when a condition failed as well": {[]string{condition}, 1, api.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab, calls := faulty(t, c.answers...)
			key := table.MailKey(1)
			tx := tab.Tx()
			tx.Put(tab.Put(counter{Key: table.MailKey(2)}).If("attribute_not_exists(PK)"), errors.New("taken"))
			tx.Update(tab.UpdateItem(key).Add("N", 1), api.Errorf(api.NotFound, "gone"))
			err := tx.Run(t.Context())
			if got := calls.Load(); got != c.calls {
				t.Errorf("%d calls, want %d", got, c.calls)
			}
			if c.code >= 0 {
				if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != c.code {
					t.Errorf("error %v, want code %d", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			items, err := tab.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			var got counter
			if found, err := items.Get(key, &got); !found || err != nil || got.N != 1 {
				t.Errorf("counted %d, %v", got.N, err)
			}
		})
	}
}

func TestSingleWritesThatMeetATransactionAreRepeated(t *testing.T) {
	tab, calls := faulty(t, single, single)
	if err := tab.Put(counter{Key: table.MailKey(1)}).Run(t.Context()); err != nil || calls.Load() != 3 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

func TestTheFirstConditionThatFailedNamesTheError(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			tx := tab.Tx()
			c.add(tx)
			if err := tx.Run(t.Context()); err != c.want {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}
