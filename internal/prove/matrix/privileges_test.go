package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/iam"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

type object = fixture.Object

// uses are the kinds of keys that the requests of a function need, by action. A kind is a partition's prefix: a policy
// cannot tell items of one partition apart, such as those of a portal's categories.
type uses struct {
	kinds map[string]map[string]bool
	// attributes are those that updates name, where the policy lists them.
	attributes map[string]bool
}

// covers reports whether a request has needed an action on the partition of a key.
func (u uses) covers(action string, key table.Key) bool {
	kind, _, _ := strings.Cut(key.PK, "#")
	return u.kinds[action][kind]
}

// TestPolicies holds the policies of the functions to what their requests need.
func TestPolicies(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		loaded := loadTemplate(t)
		of := used(t, s, loaded)
		localtest.Case(t, "kinds", func(t testing.TB) { allowWhatRequestsNeed(t, s, loaded, of) })
		localtest.Case(t, "attributes", func(t testing.TB) { updateNoOtherAttributes(t, s, of) })
	})
}

// allowWhatRequestsNeed: the policy of each function allows the actions on the kinds of keys that its requests need,
// each of them and nothing else. A permission that nothing needs would only help whoever takes over the function. Every
// action on every kind of item is tried with the credentials of each function: alone, in a transaction, in a
// transaction behind an item that it may write, and in a batch.
func allowWhatRequestsNeed(t testing.TB, s *fixture.Stack, loaded *samtemplate.Template, of map[string]uses) {
	for _, f := range loaded.Functions {
		localtest.Case(t, f.LogicalID, func(t testing.TB) {
			u, tried := of[f.LogicalID], 0
			try := func(what string, want bool, operation string, request any) {
				t.Helper()
				tried++
				if got := isAllowed(t, s.AWSProxy(), f.LogicalID, operation, request); got != want {
					t.Errorf("%s %s: allowed is %t, needed is %t", operation, what, got, want)
				}
			}
			name := s.Table.Name()
			var made []object // writes that the function may make, as parts of a transaction
			for kind, key := range table.Kinds() {
				for action, request := range single(name, key) {
					want := u.covers(action, key)
					if may := updatableAttributes(f.LogicalID, key); action == "UpdateItem" && may != nil {
						request["UpdateExpression"] = "SET #a = :a"
						request["ExpressionAttributeNames"] = object{"#a": may[0]}
					}
					if action != "ConditionCheckItem" {
						try(kind, want, action, request)
					}
					if verb, ok := strings.CutSuffix(action, "Item"); ok && action != "GetItem" {
						part := object{verb: request}
						if want && verb != "ConditionCheck" {
							made = append(made, part)
						}
						transaction := object{"TransactItems": []object{part}}
						try(kind+" by "+action, want, "TransactWriteItems", transaction)
					}
				}
				keys := object{"Keys": []object{attributes(key)}}
				try(kind, u.covers("BatchGetItem", key), "BatchGetItem", object{"RequestItems": object{name: keys}})
				for _, request := range []object{
					{"PutRequest": object{"Item": attributes(key)}}, {"DeleteRequest": object{"Key": attributes(key)}},
				} {
					batch := object{"RequestItems": object{name: []object{request}}}
					try(fmt.Sprint(kind, " by ", request), false, "BatchWriteItem", batch)
				}
			}
			for kind, key := range table.Kinds() {
				if len(made) > 0 && !u.covers("PutItem", key) {
					behind := []object{made[0], {"Put": single(name, key)["PutItem"]}}
					try(kind+" behind another item", false, "TransactWriteItems", object{"TransactItems": behind})
				}
			}
			try("everything", false, "Scan", object{"TableName": name})
			expect.AtLeast(t, tried, 1)
		})
	}
}

// used sends every request, and returns by function what its calls have needed.
func used(t testing.TB, s *fixture.Stack, loaded *samtemplate.Template) map[string]uses {
	t.Helper()
	loaded.Tables[0].Name = s.Table.Name()
	access := dynamodb.NewAccess(loaded.Tables, templateValues)
	var mu sync.Mutex
	all := map[string]uses{}
	each(fixture.Requests, func(r fixture.Request) {
		c := s.NewClient(t)
		sent := c.Prepared(r)
		a := s.Send(t, r, sent, nil)
		if err := sent.Done(a); a.Status != r.Good() || err != nil {
			t.Errorf("%s: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
		for _, call := range s.AWSProxy().Calls(a.RequestID) {
			if call.Service != "dynamodb" {
				continue
			}
			needed, err := access.Permissions(call.Action, call.Body)
			if err != nil {
				t.Errorf("%s: %v", r, err)
			}
			mu.Lock()
			for _, p := range needed {
				_, action, _ := strings.Cut(p.Action, ":")
				add(all, call.Function, action, p.Keys)
			}
			mu.Unlock()
		}
	})
	// A condition shows no more than a read. So where a function checks nothing but what it may read, one statement
	// allows both.
	for _, u := range all {
		reads, checks := u.kinds["BatchGetItem"], u.kinds["ConditionCheckItem"]
		within := len(checks) > 0
		for kind := range checks {
			within = within && reads[kind]
		}
		if within {
			u.kinds["ConditionCheckItem"] = reads
		}
	}
	return all
}

// add adds what a call of a function needs.
func add(all map[string]uses, function, action string, keys map[string][]string) {
	if all[function].kinds == nil {
		all[function] = uses{map[string]map[string]bool{}, map[string]bool{}}
	}
	u := all[function]
	if u.kinds[action] == nil {
		u.kinds[action] = map[string]bool{}
	}
	listed := action == "UpdateItem"
	for _, pk := range keys[iam.LeadingKeys] {
		kind, _, _ := strings.Cut(pk, "#")
		u.kinds[action][kind] = true
		listed = listed && updatableAttributes(function, table.Key{PK: pk}) != nil
	}
	for _, name := range keys[iam.Attributes] {
		if listed && name != "PK" && name != "SK" {
			u.attributes[name] = true
		}
	}
}

// single returns the request of each action on one item that has nothing but its key.
func single(table string, key table.Key) map[string]object {
	return map[string]object{
		"GetItem":    {"TableName": table, "Key": attributes(key)},
		"PutItem":    {"TableName": table, "Item": attributes(key)},
		"DeleteItem": {"TableName": table, "Key": attributes(key)},
		"UpdateItem": {
			"TableName": table, "Key": attributes(key), "UpdateExpression": "SET a = :a",
			"ExpressionAttributeValues": object{":a": object{"S": "a"}},
		},
		"ConditionCheckItem": {
			"TableName": table, "Key": attributes(key), "ConditionExpression": "attribute_not_exists(b)",
		},
		"Query": {
			"TableName": table, "KeyConditionExpression": "PK = :p", "Limit": 1,
			"ExpressionAttributeValues": object{":p": object{"S": key.PK}},
		},
	}
}

func attributes(key table.Key) object {
	return object{"PK": object{"S": key.PK}, "SK": object{"S": key.SK}}
}

// isAllowed sends a request with the credentials of a function.
func isAllowed(t testing.TB, g *awsproxy.Proxy, function, operation string, request any) bool {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+function+
		"/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	switch answer := w.Body.String(); {
	case w.Code == http.StatusOK:
		return true
	case strings.Contains(answer, "AccessDeniedException"):
		return false
	default:
		t.Fatalf("%s: %d %s", operation, w.Code, answer)
		return false
	}
}
