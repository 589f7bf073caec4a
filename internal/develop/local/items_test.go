package local_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
)

// store writes items in DynamoDB's JSON, as an operator's tool does.
func store(t *testing.T, s *local.Stack, items ...string) {
	t.Helper()
	// BatchWriteItem takes at most 25 items.
	for batch := range slices.Chunk(items, 25) {
		puts := `{"PutRequest":{"Item":` + strings.Join(batch, `}},{"PutRequest":{"Item":`) + `}}`
		body := `{"RequestItems":{"` + s.Environ()["TABLE_NAME"] + `":[` + puts + `]}}`
		request := newRequest(t, http.MethodPost, s.Environ()["AWS_ENDPOINT_URL_DYNAMODB"], body)
		request.Header = http.Header{
			"Content-Type": {"application/x-amz-json-1.0"},
			"X-Amz-Target": {"DynamoDB_20120810.BatchWriteItem"},
			"X-Amz-Date":   {"20250101T000000Z"},
			"Authorization": {"AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, " +
				"SignedHeaders=host;x-amz-date, Signature=0"},
		}
		if a := do(t, request); a.StatusCode != http.StatusOK {
			t.Fatalf("write items: got %d %s", a.StatusCode, a.body)
		}
	}
}

// stored returns an item with these attributes, which are in DynamoDB's JSON and begin with a comma.
func stored(pk, sk, attributes string) string {
	return fmt.Sprintf(`{"PK":{"S":%q},"SK":{"S":%q}%s}`, pk, sk, attributes)
}

// desk are items that refer to each other in every way that the console shows.
var desk = []string{
	stored("USER#0123456789012345", "USER", `,"id":{"N":"123456789012345"},"email":{"S":"ada@example.org"},
		"name":{"S":"عائشة"},"created_at":{"S":"2026-01-02T03:04:05Z"}`),
	stored("EMAIL#ada@example.org", "EMAIL", `,"user":{"N":"123456789012345"},
		"password":{"S":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA"}`),
	stored("TOKEN#0123456789012345", "TOKEN#"+strings.Repeat("0a", 32), `
		,"user":{"N":"123456789012345"},"expires_at":{"N":"1700000000"},
		"digest":{"B":"`+strings.Repeat("A", 43)+`="}`),
	stored("APP#0000000000000007", "APP", `,"custom":{"M":{"seats":{"N":"3"},"on":{"BOOL":true},"off":{"NULL":true}}},
		"list":{"L":[{"N":"123456789012345"}]},"set":{"SS":["a","b"]}`),
	stored("LINK#0000000000000007", "USER#0123456789012345", ``),
	stored("LINK#0000000000000007", "USER#0999999999999999", ``),
}

// itemKey is a key in the console's JSON.
type itemKey struct{ PK, SK string }

// itemGroup is a list of keys in the console's JSON.
type itemGroup struct {
	Keys []itemKey
	More bool
}

// listed is the JSON of any page about the table.
type listed struct {
	Table, TTL, Next, Kind string
	Kinds                  []struct {
		Kind  string
		Count int
	}
	Items    []map[string]map[string]any
	Item     map[string]json.RawMessage
	Siblings itemGroup
	Links    []struct {
		Name string
		In   []string
		itemGroup
	}
	Complete bool
}

// keys returns the keys of the listed items.
func (l listed) keys() (keys []string) {
	for _, one := range l.Items {
		keys = append(keys, fmt.Sprint(one["PK"]["S"], " ", one["SK"]["S"]))
	}
	return keys
}

// TestTableIsShown shows the kinds with their counts, the pages of a kind and of a partition, and the search in keys.
func TestTableIsShown(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	var many []string
	// Three pages: a page has 50 items.
	for i := range 120 {
		many = append(many, stored("MANY#1", fmt.Sprintf("ONE#%03d", i), ``))
	}
	store(t, s, append(many, desk...)...)

	all := page[listed](t, s, "/_local/table")
	want := "[{APP#/APP 1} {EMAIL#/EMAIL 1} {LINK#/USER# 2} {MANY#/ONE# 120} {TOKEN#/TOKEN# 1} {USER#/USER 1}]"
	expect.Equal(t, fmt.Sprint(all.Kinds), want)
	expect.Equal(t, all.Next, "")
	expect.Equal(t, all.Table, s.Environ()["TABLE_NAME"])
	expect.Equal(t, all.TTL, "expires_at")

	for name, query := range map[string]string{"kind": "kind=MANY%23/ONE%23", "partition": "partition=MANY%231"} {
		got, pages := []string{}, 0
		for next := ""; pages == 0 || next != ""; pages++ {
			p := page[listed](t, s, "/_local/table/items?"+query+"&after="+next)
			got, next = append(got, p.keys()...), p.Next
		}
		slices.Sort(got)
		got = slices.Compact(got)
		expect.Equal(t, pages, 3, "pages by "+name)
		expect.Len(t, got, 120, "items by "+name)
		expect.Equal(t, got[119], "MANY#1 ONE#119")
	}
	for query, want := range map[string]string{
		"q=ADA@":                      "[EMAIL#ada@example.org EMAIL]",
		"q=0999&kind=LINK%23/USER%23": "[LINK#0000000000000007 USER#0999999999999999]",
		"q=one%23007":                 "[MANY#1 ONE#007]",
		"q=link&kind=USER%23/USER":    "[]",
		"kind=NONE":                   "[]",
		"partition=NONE":              "[]",
	} {
		if p := page[listed](t, s, "/_local/table/items?"+query); fmt.Sprint(p.keys()) != want || p.Next != "" {
			t.Errorf("%s: got %v, want %s", query, p.keys(), want)
		}
	}
}

// TestItemIsShownWithItsLinks shows which items the console finds by the ids in an item, and that each list ends
// at ten.
func TestItemIsShownWithItsLinks(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	store(t, s, desk...)
	show := func(pk, sk string) (listed, string) {
		l := page[listed](t, s, "/_local/table/item?"+url.Values{"pk": {pk}, "sk": {sk}}.Encode())
		links := ""
		for _, link := range l.Links {
			links += fmt.Sprintf("%s in %v: %v\n", link.Name, link.In, link.Keys)
		}
		return l, links
	}
	digest := strings.Repeat("0a", 32)
	for name, test := range map[string]struct{ pk, sk, siblings, links string }{
		"an id in attributes and in keys": {"USER#0123456789012345", "USER", "[]",
			"123456789012345 in [PK id]: [{LINK#0000000000000007 USER#0123456789012345} " +
				"{TOKEN#0123456789012345 TOKEN#" + digest + "}]\n" +
				"ada@example.org in [email]: [{EMAIL#ada@example.org EMAIL}]\n"},
		"an id in an attribute": {"EMAIL#ada@example.org", "EMAIL", "[]",
			"123456789012345 in [user]: [{USER#0123456789012345 USER} {LINK#0000000000000007 USER#0123456789012345} " +
				"{TOKEN#0123456789012345 TOKEN#" + digest + "}]\n"},
		"its partition has others": {"LINK#0000000000000007", "USER#0999999999999999",
			"[{LINK#0000000000000007 USER#0123456789012345}]",
			"0000000000000007 in [PK]: [{APP#0000000000000007 APP}]\n"},
		"an id in a list": {"APP#0000000000000007", "APP", "[]",
			"0000000000000007 in [PK]: [{LINK#0000000000000007 USER#0123456789012345} " +
				"{LINK#0000000000000007 USER#0999999999999999}]\n" +
				"123456789012345 in [list]: [{USER#0123456789012345 USER} " +
				"{LINK#0000000000000007 USER#0123456789012345} {TOKEN#0123456789012345 TOKEN#" + digest + "}]\n"},
	} {
		l, links := show(test.pk, test.sk)
		expect.Equal(t, links, test.links, name)
		expect.Equal(t, fmt.Sprint(l.Siblings.Keys), test.siblings, name+": l.Siblings.Keys")
		expect.Equal(t, l.Complete, true, name)
	}
	l, _ := show("USER#0123456789012345", "USER")
	expect.Equal(t, l.Kind, "USER#/USER")
	expect.Equal(t, string(l.Item["id"]), `{"N":"123456789012345"}`)
	expect.Equal(t, len(l.Item), 6)

	// Twelve more items with the user's id: two more than a list shows.
	var tokens []string
	for i := range 12 {
		tokens = append(tokens, stored("LOGIN#0123456789012345", fmt.Sprintf("LOGIN#%d", i), ``))
	}
	store(t, s, tokens...)
	l, _ = show("USER#0123456789012345", "USER")
	byID := l.Links[0]
	expect.Equal(t, len(byID.Keys), 10)
	expect.Equal(t, byID.More, true)
	l, _ = show("LOGIN#0123456789012345", "LOGIN#1")
	expect.Equal(t, len(l.Siblings.Keys), 10)
	expect.Equal(t, l.Siblings.More, true)
}

// TestTableSaysWhatItCannotShow shows the errors for malformed queries. The cursors that look random are {}, {"pk":"a"}
// and null in base64.
func TestTableSaysWhatItCannotShow(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	for query, want := range map[string]string{
		"/item?pk=USER%231&sk=USER":       "404 there is no such item",
		"/item?pk=USER%231":               "404 there is no such item",
		"/item?sk=USER":                   "400 pk: it must be the value of a partition key",
		"/items?kind=A&partition=B":       "400 kind, partition: give one of them, or none",
		"/items?after=!":                  "400 after: it must be the next of another answer",
		"/items?after=e30":                "400 after: it must be the next of another answer", // {}
		"/items?after=eyJwayI6ImEifQ":     "400 after: it must be the next of another answer", // {"pk":"a"}
		"/items?partition=B&after=bnVsbA": "400 after: it must be the next of another answer", // null
		"?after=x":                        "400 after: it must be the next of another answer",
		"/none":                           "404",
	} {
		a := get(t, s, "/_local/table"+query)
		var problem struct{ Message string }
		json.Unmarshal([]byte(a.body), &problem)
		if got := strings.TrimSpace(fmt.Sprint(a.StatusCode, " ", problem.Message)); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	if a := post(t, s, "/_local/table/items", ""); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", a.StatusCode)
	}
	if empty := page[listed](t, s, "/_local/table"); len(empty.Kinds) != 0 {
		t.Errorf("an empty table has %v", empty.Kinds)
	}
}

// TestOpenConsolesLearnOfWrites shows that a write by an operator's tool updates open consoles.
func TestOpenConsolesLearnOfWrites(t *testing.T) {
	t.Parallel()
	s := startStack(t)
	topics := follow(t, s)
	store(t, s, desk[0])
	await(t, topics, "table")
}
