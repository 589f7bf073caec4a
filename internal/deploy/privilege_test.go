package deploy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
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

// updates lists, for the functions whose policies say so, the attributes that an update may name. Those of the key are
// among them, but DynamoDB changes no key.
var updates = map[string]map[string][]string{
	"DeleteUserTokensFunction": {
		table.Users:  {"generation", "user"},
		table.Emails: {"generation", "user"},
	},
	"SignInFunction": {table.Emails: {"password"}},
}

// named returns the attributes that updates of an item by a function may name; nil for any.
func named(function string, key table.Key) []string {
	for partition, names := range updates[function] {
		if strings.HasPrefix(key.PK, partition) {
			return names
		}
	}
	return nil
}

// TestFunctionsUpdateNoOtherAttributes tries to set, to remove, to copy and to compare each attribute of the users'
// records and of the owners of e-mail addresses.
func TestFunctionsUpdateNoOtherAttributes(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	names := []string{
		"created_at", "custom_attributes", "email", "generation", "name", "password", "updated_at", "user",
	}
	for function := range updates {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			for kind, key := range table.Kinds() {
				may := named(function, key)
				if may == nil {
					continue
				}
				try := func(want bool, update, condition string, names ...string) {
					t.Helper()
					request := object{
						"TableName": stack.Table.Name(), "Key": attributes(key), "UpdateExpression": update,
						"ExpressionAttributeNames": object{},
					}
					if strings.Contains(update+condition, ":v") {
						request["ExpressionAttributeValues"] = object{":v": object{"S": "v"}}
					}
					if condition != "" {
						request["ConditionExpression"] = condition
					}
					for i, name := range names {
						request["ExpressionAttributeNames"].(object)["#"+strconv.Itoa(i)] = name
					}
					single := isAllowed(t, stack.Gate(), function, "UpdateItem", request)
					transaction := object{"TransactItems": []object{{"Update": request}}}
					together := isAllowed(t, stack.Gate(), function, "TransactWriteItems", transaction)
					if single != want || together != want {
						t.Errorf("%s %s of %q in %s: allowed is %t, in a transaction %t",
							update, condition, names, kind, single, together)
					}
				}
				for _, name := range names {
					want := slices.Contains(may, name)
					try(want, "SET #0 = :v", "", name)
					try(want, "REMOVE #0", "", name)
					try(want, "SET #0 = if_not_exists(#1, :v)", "", may[0], name)
					try(want, "SET #0 = :v", "attribute_not_exists(#1) OR attribute_exists(#1)", may[0], name)
				}
			}
		})
	}
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
					if names := named(function, key); verb == "Update" && names != nil {
						request["UpdateExpression"] = "SET #a = :a"
						request["ExpressionAttributeNames"] = object{"#a": names[0]}
					}
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
