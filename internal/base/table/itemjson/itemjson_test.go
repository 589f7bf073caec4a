package itemjson_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// answers contain items, in every form that Cut knows.
var answers = map[string]string{
	"a query": `{"Count":2,"Items":[{"PK":{"S":"a"},"n":{"N":"-1.5"}},{"PK":{"S":""}}],"ScannedCount":3,` +
		`"LastEvaluatedKey":{"PK":{"S":"}],\""}},"ConsumedCapacity":{"TableName":"t","CapacityUnits":0.5}}`,
	"items by key": `{"Responses":{"t":[{"PK":{"S":"a"}}]},"UnprocessedKeys":{}}`,
	"every type": `{"Items":[{"b":{"B":"AAE="},"t":{"BOOL":true},"f":{"BOOL":false},"0":{"NULL":true},` +
		`"m":{"M":{"":{"M":{}},"s":{"S":"x"}}},"l":{"L":[{"L":[]},{"N":"1"}]},"ss":{"SS":["a","b"]}}]}`,
	"escapes":        `{"Items":[{"\u0061\n":{"S":"\"\\\/\b\f\n\r\t\u00fc\ud83d\ude00"}}]}`,
	"not ASCII":      `{"Items":[{"ü":{"S":"Größe 😀"}}]}`,
	"not UTF-8":      "{\"Items\":[{\"a\":{\"S\":\"\xff\"}}]}",
	"an empty item":  `{"Items":[{}]}`,
	"repeated names": `{"Items":[{"a":{"S":"1"},"a":{"S":"2"}}]}`,
}

// others are answers without items, and JSON that DynamoDB does not send. Cut leaves them to the SDK.
var others = map[string]string{
	"no items":           `{"Items":[],"Count":0}`,
	"a count":            `{"Count":7}`,
	"no answer":          ``,
	"white space":        `{"Items": [{"a":{"S":"1"}}]}`,
	"numbers in a set":   `{"Items":[{"a":{"NS":["1"]}}]}`,
	"a type to come":     `{"Items":[{"a":{"X":"1"}}]}`,
	"two types":          `{"Items":[{"a":{"S":"1","N":"1"}}]}`,
	"no type":            `{"Items":[{"a":{}}]}`,
	"null":               `{"Items":[{"a":{"S":null}}]}`,
	"two lists":          `{"Responses":{"t":[{"a":{"S":"1"}}],"u":[{"a":{"S":"1"}}]}}`,
	"no base64":          `{"Items":[{"a":{"B":"?"}}]}`,
	"a bare line feed":   "{\"Items\":[{\"a\":{\"S\":\"\n\"}}]}",
	"a comma at the end": `{"Items":[{"a":{"S":"1"}},]}`,
	"a cut answer":       `{"Items":[{"a":{"S":"1`,
}

// TestCutTakesTheItemsOutOfAnAnswer shows what Cut decodes itself, and that it leaves every other answer unchanged.
func TestCutTakesTheItemsOutOfAnAnswer(t *testing.T) {
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			items, rest := itemjson.Cut(answer)
			expect.Not(t, items, nil)
			expect.AtMost(t, len(rest), len(answer)-1)
			equal(t, answer)
		})
	}
	for name, answer := range others {
		t.Run(name, func(t *testing.T) {
			items, rest := itemjson.Cut(answer)
			expect.Equal(t, items == nil, true, "items is nil")
			expect.Equal(t, rest, answer)
		})
	}
}

// FuzzCut compares the items that Cut decodes with those that the SDK decodes.
func FuzzCut(f *testing.F) {
	for _, list := range []map[string]string{answers, others} {
		for _, answer := range list {
			f.Add(answer)
		}
	}
	f.Fuzz(equal)
}

// equal checks that the items, together with the SDK's reading of the rest, equal the SDK's reading of the
// whole answer.
func equal(t *testing.T, answer string) {
	items, rest := itemjson.Cut(answer)
	if items == nil {
		return
	}
	query, err := read((*dynamodb.Client).Query, &dynamodb.QueryInput{TableName: aws.String("t")}, answer)
	queryRest, errRest := read((*dynamodb.Client).Query, &dynamodb.QueryInput{TableName: aws.String("t")}, rest)
	if (err == nil) != (errRest == nil) {
		t.Fatalf("error %v of the rest, %v of all", errRest, err)
	}
	if err != nil {
		return
	}
	if query.Items != nil {
		queryRest.Items = items
	}
	query.ResultMetadata, queryRest.ResultMetadata = middleware.Metadata{}, middleware.Metadata{}
	if !reflect.DeepEqual(query, queryRest) {
		t.Errorf("a query gives %+v, want %+v", queryRest, query)
	}
	keys := types.KeysAndAttributes{Keys: []itemjson.Item{{}}}
	get := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"t": keys}}
	batch, err := read((*dynamodb.Client).BatchGetItem, get, answer)
	if err != nil {
		return
	}
	for table, want := range batch.Responses {
		if len(want) > 0 && !reflect.DeepEqual(items, want) {
			t.Errorf("%q has %+v, want %+v", table, items, want)
		}
	}
}

// read makes the SDK decode an answer.
func read[In, Out any](
	call func(*dynamodb.Client, context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), in *In, answer string,
) (*Out, error) {
	return call(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
		Retryer: aws.NopRetryer{}, HTTPClient: answering(answer),
	}), context.Background(), in)
}

// answering is an HTTP client that gives every request this answer.
type answering string

func (a answering) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

func ExampleCut() {
	items, rest := itemjson.Cut(`{"Count":1,"Items":[{"PK":{"S":"USER#1"}}]}`)
	fmt.Println(items[0]["PK"].(*types.AttributeValueMemberS).Value, rest)
	// Output: USER#1 {"Count":1,"Items":[]}
}
