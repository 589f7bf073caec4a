package items_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/items"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/templatetest"
)

// numbered is a table whose partition key is a number, and which has no sort key.
const numbered = `
  Numbers:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: at, AttributeType: N}]
      KeySchema: [{AttributeName: at, KeyType: HASH}]
`

// numbers returns the pages for a database whose table has the items 0 to n-1, with numbers as their only keys.
func numbers(t *testing.T, n int) *items.Items {
	t.Helper()
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Limit             int
			ExclusiveStartKey struct {
				At struct {
					N int `json:",string"`
				}
			}
			Key struct{ At struct{ N string } }
		}
		// Without an ExclusiveStartKey the first page begins at item 0.
		request.ExclusiveStartKey.At.N = -1
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem") {
			fmt.Fprintf(w, `{"Item":{"at":{"N":%q}}}`, request.Key.At.N)
			return
		}
		first, last := request.ExclusiveStartKey.At.N+1, min(request.ExclusiveStartKey.At.N+request.Limit, n-1)
		var page []string
		for i := first; i <= last; i++ {
			page = append(page, fmt.Sprintf(`{"at":{"N":"%d"}}`, i))
		}
		fmt.Fprintf(w, `{"Items":[%s]`, strings.Join(page, ","))
		if last < n-1 {
			fmt.Fprintf(w, `,"LastEvaluatedKey":{"at":{"N":"%d"}}`, last)
		}
		fmt.Fprint(w, "}")
	}))
	t.Cleanup(database.Close)
	return items.New(database.URL, templatetest.MustParse(t, templatetest.WithPolicies("[]")+numbered).Tables)
}

// answer is the JSON of any page about the table.
type answer struct {
	Kinds    []struct{ Count int }
	Items    []json.RawMessage
	Next     string
	Complete bool
}

// ask requests a page, and fails unless it has this status.
func ask(t *testing.T, h http.Handler, path string, status int) (a answer) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/_local/table"+path, nil))
	if w.Code != status {
		t.Fatalf("%s: got %d %s", path, w.Code, w.Body)
	}
	json.Unmarshal(w.Body.Bytes(), &a)
	return a
}

// TestAnswersReadOnlyPartOfALargeTable shows that each answer reads 10,000 items, and that the next one
// continues there.
func TestAnswersReadOnlyPartOfALargeTable(t *testing.T) {
	t.Parallel()
	table := numbers(t, 25_000)
	counts, asked := 0, 0
	for next := ""; asked == 0 || next != ""; asked++ {
		a := ask(t, table, "?after="+next, http.StatusOK)
		for _, kind := range a.Kinds {
			counts += kind.Count
		}
		next = a.Next
	}
	expect.Equal(t, counts, 25_000)
	expect.Equal(t, asked, 3)
	// Item 12,345 is beyond the first 10,000, so the first answer finds nothing and says where to go on.
	first := ask(t, table, "/items?q=12345", http.StatusOK)
	second := ask(t, table, "/items?q=12345&after="+first.Next, http.StatusOK)
	expect.Equal(t, len(first.Items), 0)
	expect.Equal(t, fmt.Sprintf("%s", second.Items), `[{"at":{"N":"12345"}}]`)
	// Links to an item are looked for in one answer's share of the table. The page must say if that is not all.
	if a := ask(t, table, "/item?pk=1", http.StatusOK); a.Complete {
		t.Error("the links of an item are of all 25,000")
	}
	if a := ask(t, numbers(t, 10), "/item?pk=1", http.StatusOK); !a.Complete {
		t.Error("the links of an item are not of all 10")
	}
}

// TestTableThatCannotBeRead shows the errors for a template without a table, and for a database that does not answer.
func TestTableThatCannotBeRead(t *testing.T) {
	t.Parallel()
	// Nothing listens on port 1. Without a table the database is not even asked.
	ask(t, items.New("http://127.0.0.1:1", nil), "", http.StatusNotFound)
	tables := templatetest.MustParse(t, templatetest.WithPolicies("[]")+numbered).Tables
	ask(t, items.New("http://127.0.0.1:1", tables), "", http.StatusBadGateway)
}
