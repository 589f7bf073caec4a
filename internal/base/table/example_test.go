package table_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// A portal's record and its categories are in two partitions. Ids in keys sort as numbers.
func ExamplePortal() {
	handbook := table.Portal{Account: 7, Slug: "handbook"}
	fmt.Println(handbook.Key())
	fmt.Println(handbook.Category(42))
	fmt.Println(handbook.IndexItem(42, "SUB", 43)) // that 42 is the parent of 43
	// Output:
	// "PORTAL#0000000000000007#handbook"/"PORTAL"
	// "CATEGORY#0000000000000007#handbook"/"CATEGORY#0000000000000042"
	// "CATEGORY#0000000000000007#handbook"/"INDEX#0000000000000042#SUB#0000000000000043"
}

// Each write of a transaction comes with the error to return if its condition fails.
func ExampleTx() {
	t, stop := openRefusing(cancelled("None", "ConditionalCheckFailed"))
	defer stop()
	handbook := table.Portal{Account: 7, Slug: "handbook"}
	category := struct {
		table.Key
		Name string `dynamo:"name"`
	}{handbook.Category(42), "Billing"}

	tx := t.Tx()
	tx.Check(t.CheckItem(handbook.Key()).IfExists(), errors.New("there is no such portal"))
	tx.Put(t.Put(category).If("attribute_not_exists(PK)"), errors.New("the id is taken"))
	fmt.Println(tx.Run(context.Background()))
	// Output: the id is taken
}

// A change is made again if what it read has changed by the time it writes.
func ExampleRetry() {
	errStale := errors.New("it was changed meanwhile")
	attempts := 0
	name, err := table.Retry(context.Background(), errStale, func() (string, error) {
		if attempts++; attempts < 3 {
			return "", errStale
		}
		return "Billing", nil
	})
	fmt.Println(name, err, attempts)
	// Output: Billing <nil> 3
}

// openRefusing opens a table on a database that answers every call with this error.
func openRefusing(answer string) (t table.Table, stop func()) {
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, answer)
	}))
	return table.Open(aws.Config{
		Region: "us-east-1", BaseEndpoint: &database.URL,
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	}, "frontdesk"), database.Close
}
