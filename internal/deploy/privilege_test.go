package deploy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/table"
)

// writes lists, for each function, the partitions in which it may write, by action. A policy cannot tell items of one
// partition apart, such as those of a portal's categories.
var writes = map[string]map[string][]string{
	"SendMailFunction": {
		"PutItem":    {table.Idempotencies, table.MailEvents},
		"UpdateItem": {table.MailDays, table.MailLogs},
	},
	"RecordMailEventFunction": {
		"PutItem":    {table.MailEvents},
		"UpdateItem": {table.MailLogs},
	},
	"ShowMailFunction":  {},
	"ListMailsFunction": {},
	"UnsubscribeFunction": {
		"PutItem":    {table.Unsubscribes},
		"DeleteItem": {table.Unsubscribes},
	},
	"ListUnsubscribesFunction":     {},
	"ListCategoriesFunction":       {},
	"ListPublicCategoriesFunction": {},
	"ShowPublicCategoryFunction":   {},
	"ShowCategoryFunction":         {},
	"CreateCategoryFunction": {
		"PutItem":    {table.Categories},
		"UpdateItem": {table.Categories},
	},
	"UpdateCategoryFunction": {
		"PutItem":    {table.Categories},
		"UpdateItem": {table.Categories},
		"DeleteItem": {table.Categories},
	},
	"ReorderCategoriesFunction": {
		"PutItem":    {table.Categories},
		"UpdateItem": {table.Categories},
		"DeleteItem": {table.Categories},
	},
	"DeleteCategoryFunction": {
		"UpdateItem": {table.Categories},
		"DeleteItem": {table.Categories},
	},
	"CreateUserFunction": {
		"PutItem": {table.Users, table.Emails, table.PermissibleLinks, table.LinkedApps},
	},
	"ListUsersFunction": {},
	"ShowUserFunction":  {},
	"UpdateUserFunction": {
		"PutItem":    {table.Emails},
		"UpdateItem": {table.Users},
		"DeleteItem": {table.Emails},
	},
	"DeleteUserFunction": {
		"DeleteItem": {
			table.Users, table.Emails, table.PermissibleLinks, table.LinkedApps, table.Members, table.Memberships,
			table.AgentTokens, table.LoginTokens,
		},
	},
	"CreateUserTokenFunction":  {"PutItem": {table.AgentTokens}},
	"DeleteUserTokensFunction": {"UpdateItem": {table.Users, table.Emails}},
	"LoginLinkFunction":        {"PutItem": {table.LoginTokens}},
	"SignInFunction": {
		"PutItem":    {table.AgentTokens},
		"UpdateItem": {table.Attempts, table.Emails},
		"DeleteItem": {table.LoginTokens},
	},
	"ListMembersFunction":  {},
	"AddMemberFunction":    {"PutItem": {table.Members, table.Memberships}},
	"RemoveMemberFunction": {"DeleteItem": {table.Members, table.Memberships}},

	"LoginPageFunction": {},
	"DocsFunction":      {},
}

// TestFunctionsWriteNothingElse tries every write of an item of every kind, with the credentials of each function:
// alone, in a transaction, in a transaction after a write that the function may make, and in a batch. All writes that
// the function does not make are refused.
func TestFunctionsWriteNothingElse(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	name := stack.Table.Name()
	for _, f := range readTemplate(t).resources["AWS::Serverless::Function"] {
		if writes[f.id] == nil {
			t.Errorf("it is not said here what %s writes", f.id)
		}
	}
	for function, may := range writes {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			allowed, tried := 0, 0
			try := func(what string, want bool, operation string, request any) {
				t.Helper()
				tried++
				if got := isAllowed(t, stack.Gate(), function, operation, request); got != want {
					t.Errorf("%s %s: allowed is %t", operation, what, got)
				}
				if want {
					allowed++
				}
			}
			var made []object // writes that the function may make, as parts of a transaction
			for kind, key := range table.Kinds() {
				if key.Kind() != kind {
					t.Fatalf("%s is of the kind %s, not %s", key, key.Kind(), kind)
				}
				for _, verb := range []string{"Put", "Update", "Delete"} {
					action := verb + "Item"
					want := covers(may[action], key)
					request := write(name, verb, key)
					if want {
						made = append(made, object{verb: request})
					}
					try(kind, want, action, request)
					transaction := []object{{verb: request}}
					try(kind+" by "+action, want, "TransactWriteItems", object{"TransactItems": transaction})
				}
				for _, request := range []object{
					{"PutRequest": object{"Item": attributes(key)}}, {"DeleteRequest": object{"Key": attributes(key)}},
				} {
					batch := object{"RequestItems": object{name: []object{request}}}
					try(fmt.Sprint(kind, " by ", request), false, "BatchWriteItem", batch)
				}
			}
			for kind, key := range table.Kinds() {
				if len(made) > 0 && !covers(may["PutItem"], key) {
					behind := []object{made[0], {"Put": write(name, "Put", key)}}
					try(kind+" behind another item", false, "TransactWriteItems", object{"TransactItems": behind})
				}
			}
			if allowed == 0 {
				expect.Equal(t, "may", may, nil)
			}
			expect.AtLeast(t, "tried", tried, 1)
		})
	}
}

// covers reports whether a key is in one of the partitions.
func covers(partitions []string, key table.Key) bool {
	return slices.ContainsFunc(partitions, func(pk string) bool { return strings.HasPrefix(key.PK, pk) })
}

type object = map[string]any

// write returns the request of a verb for an item that has nothing but its key.
func write(table, verb string, key table.Key) object {
	if verb == "Put" {
		return object{"TableName": table, "Item": attributes(key)}
	}
	request := object{"TableName": table, "Key": attributes(key)}
	if verb == "Update" {
		request["UpdateExpression"] = "SET a = :a"
		request["ExpressionAttributeValues"] = object{":a": object{"S": "a"}}
	}
	return request
}

func attributes(key table.Key) object {
	return object{"PK": object{"S": key.PK}, "SK": object{"S": key.SK}}
}

// isAllowed sends a request with the credentials of a function.
func isAllowed(t *testing.T, g *gate.Gate, function, operation string, request any) bool {
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
