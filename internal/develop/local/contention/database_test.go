package contention_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/prove/samtemplatetest"
)

// open starts a stack without functions. It returns a client that calls its table through contention, without retries,
// and the table's name.
func open(t testing.TB, c *contention.Config) (client *sdk.Client, name string) {
	t.Helper()
	stack := localtest.Start(t)
	name = stack.Environ()["TABLE_NAME"]
	tables := samtemplatetest.MustParse(t, samtemplatetest.OneTable).Tables
	tables[0].Name = name
	access := dynamodb.NewAccess(tables, samtemplatetest.Values)
	front := localtest.Serve(t, contention.New(c, access, stack.Account().Database.Forward()))
	config := stack.Operator()
	config.BaseEndpoint, config.HTTPClient = aws.String(front.URL), stack.Client()
	config.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	return sdk.NewFromConfig(config), name
}

// attributes are an item, or a key, as the SDK writes it.
type attributes = map[string]types.AttributeValue

// keyOf returns the key of the only item in a partition.
func keyOf(pk string) attributes {
	return attributes{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: "1"}}
}

// count returns a transaction that adds one to the attribute n of an item of a table.
func count(table string, token *string, pk string) *sdk.TransactWriteItemsInput {
	return &sdk.TransactWriteItemsInput{ClientRequestToken: token, TransactItems: []types.TransactWriteItem{{
		Update: &types.Update{
			TableName: aws.String(table), Key: keyOf(pk), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: attributes{":one": &types.AttributeValueMemberN{Value: "1"}},
		},
	}}}
}

// counted reads the count of an item.
func counted(t testing.TB, client *sdk.Client, table, pk string) string {
	t.Helper()
	out, err := client.GetItem(t.Context(), &sdk.GetItemInput{TableName: aws.String(table), Key: keyOf(pk)})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := out.Item["n"].(*types.AttributeValueMemberN)
	return n.Value
}

// TestOfTransactionsOnOneItemOneWins shows that the item counts exactly the transactions that succeeded. A transaction
// that meets another has changed nothing.
func TestOfTransactionsOnOneItemOneWins(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		client, table := open(t, &contention.Config{Hold: contention.Span{Shortest: 50 * time.Millisecond}})
		var mu sync.Mutex
		var together sync.WaitGroup
		applied, conflicts := 0, 0
		// Eight at once, each of which holds the item for most of 50 ms: some of them must meet.
		for range 8 {
			together.Go(func() {
				_, err := client.TransactWriteItems(t.Context(), count(table, nil, "A"))
				cancelled, met := errors.AsType[*types.TransactionCanceledException](err)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					applied++
				case met && aws.ToString(cancelled.CancellationReasons[0].Code) == "TransactionConflict":
					conflicts++
				default:
					t.Error(err)
				}
			})
		}
		together.Wait()
		got := counted(t, client, table, "A")
		expect.Equal(t, got, fmt.Sprint(applied), "applied")
		expect.AtLeast(t, applied, 1)
		expect.AtLeast(t, conflicts, 1)
	})
}

// TestATokenIsGoodForOneTransaction shows that the database remembers a client token after its transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func TestATokenIsGoodForOneTransaction(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		client, table := open(t, contention.AWS())
		token := aws.String("token")
		for range 2 { // the second time without effect
			if _, err := client.TransactWriteItems(t.Context(), count(table, token, "A")); err != nil {
				t.Fatal(err)
			}
		}
		if got := counted(t, client, table, "A"); got != "1" {
			t.Errorf("applied %s times", got)
		}
		_, err := client.TransactWriteItems(t.Context(), count(table, token, "B"))
		if _, other := errors.AsType[*types.IdempotentParameterMismatchException](err); !other {
			t.Errorf("other content: %v", err)
		}
	})
}

// TestUnitsAreThoseOfTheItemsSizes shows that real consumption counts: an item of 39 KB throttles its partition for
// a while.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func TestUnitsAreThoseOfTheItemsSizes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		client, table := open(t, &contention.Config{WriteUnits: 1, ReadUnits: 1})
		large := keyOf("A")
		large["text"] = &types.AttributeValueMemberS{Value: strings.Repeat("x", 39_000)} // 39 s to write, 10 s to read
		put := &sdk.PutItemInput{TableName: aws.String(table), Item: large}
		get := &sdk.GetItemInput{TableName: aws.String(table), Key: keyOf("A"), ConsistentRead: aws.Bool(true)}
		batch := &sdk.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			table: {ConsistentRead: aws.Bool(true), Keys: []map[string]types.AttributeValue{keyOf("A"), keyOf("B")}},
		}}
		throttled := func(err error) bool {
			_, is := errors.AsType[*types.ThrottlingException](err)
			return is
		}
		if _, err := client.PutItem(t.Context(), put); err != nil {
			t.Fatal(err)
		}
		if _, err := client.PutItem(t.Context(), put); !throttled(err) {
			t.Errorf("a second write: %v", err)
		}
		if _, err := client.GetItem(t.Context(), get); err != nil {
			t.Fatal(err)
		}
		if _, err := client.GetItem(t.Context(), get); !throttled(err) {
			t.Errorf("a second read: %v", err)
		}
		out, err := client.BatchGetItem(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		// The partition B is not throttled, so the batch is served without A.
		left := out.UnprocessedKeys[table]
		expect.Len(t, left.Keys, 1)
		expect.Equal(t, left.Keys[0], keyOf("A"))
		expect.Equal(t, aws.ToBool(left.ConsistentRead), true)
	})
}

// TestReadsSeeATransactionItemByItem lets two readers ask all the time while transactions write two items together.
// Sooner or later a query and a batch see the first item before the second one, and the second before the first. After
// an answer, nobody sees what was before it, and a transaction that is refused shows nothing at all.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
func TestReadsSeeATransactionItemByItem(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		client, table := open(t, &contention.Config{
			ReadCommitted: 1, Hold: contention.Span{Shortest: 5 * time.Millisecond, Longest: 20 * time.Millisecond},
		})
		key := func(sk string) attributes {
			return attributes{
				"PK": &types.AttributeValueMemberS{Value: "A"}, "SK": &types.AttributeValueMemberS{Value: sk},
			}
		}
		write := func(n int, of string, condition *string) types.TransactWriteItem {
			one := key(of)
			one["n"] = &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
			return types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(table), Item: one, ConditionExpression: condition,
			}}
		}
		numbers := func(items []map[string]types.AttributeValue) (first, second int) {
			for _, one := range items {
				into := &first
				if one["SK"].(*types.AttributeValueMemberS).Value == "2" {
					into = &second
				}
				fmt.Sscan(one["n"].(*types.AttributeValueMemberN).Value, into)
			}
			return first, second
		}
		query := func() (first, second int) {
			out, err := client.Query(t.Context(), &sdk.QueryInput{
				TableName: aws.String(table), KeyConditionExpression: aws.String("PK = :p"),
				ConsistentRead:            aws.Bool(true),
				ExpressionAttributeValues: attributes{":p": &types.AttributeValueMemberS{Value: "A"}},
			})
			if err != nil {
				t.Error(err)
				return 0, 0
			}
			return numbers(out.Items)
		}
		batch := func() (first, second int) {
			out, err := client.BatchGetItem(t.Context(), &sdk.BatchGetItemInput{
				RequestItems: map[string]types.KeysAndAttributes{table: {
					Keys: []map[string]types.AttributeValue{key("1"), key("2")}, ConsistentRead: aws.Bool(true),
				}},
			})
			if err != nil {
				t.Error(err)
				return 0, 0
			}
			return numbers(out.Responses[table])
		}
		var mu sync.Mutex
		ahead, behind := map[string]bool{}, map[string]bool{}
		all := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(ahead) == 2 && len(behind) == 2
		}
		var readers sync.WaitGroup
		stop := make(chan struct{})
		for name, read := range map[string]func() (first, second int){"query": query, "batch": batch} {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					first, second := read()
					mu.Lock()
					if first > second {
						ahead[name] = true
					}
					if second > first {
						behind[name] = true
					}
					mu.Unlock()
				}
			})
		}
		for n := 1; n < 2000 && !all() && !t.Failed(); n++ {
			_, err := client.TransactWriteItems(t.Context(), &sdk.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{write(n, "1", nil), write(n, "2", nil)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if first, second := query(); first != n || second != n {
				t.Fatalf("after the answer to %d: %d and %d", n, first, second)
			}
			_, err = client.TransactWriteItems(t.Context(), &sdk.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{
					write(-1, "1", nil), write(-1, "2", aws.String("attribute_not_exists(PK)")),
				},
			})
			if first, second := query(); err == nil || first != n || second != n {
				t.Fatalf("after a refusal: %d and %d, %v", first, second, err)
			}
		}
		close(stop)
		readers.Wait()
		if !all() {
			t.Errorf("the first item ahead: %v, the second one: %v, want both by a query and by a batch", ahead, behind)
		}
	})
}
