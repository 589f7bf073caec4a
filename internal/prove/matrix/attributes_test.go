package matrix

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// updates lists, for the functions whose policies say so, the attributes that an update may name. Those of the key are
// among them, but DynamoDB changes no key.
var updates = map[string]map[string][]string{
	"DeleteUserTokensFunction": {
		table.Users:  {"generation", "user"},
		table.Emails: {"generation", "user"},
	},
	"SignInFunction": {table.Emails: {"password"}},
}

// updatableAttributes returns the attributes that updates of an item by a function may name; nil for any.
func updatableAttributes(function string, key table.Key) []string {
	for partition, names := range updates[function] {
		if strings.HasPrefix(key.PK, partition) {
			return names
		}
	}
	return nil
}

// updateNoOtherAttributes tries to set, to remove, to copy and to compare each attribute of the users' records and of
// the owners of e-mail addresses. The requests of a function need each of those that it may name.
func updateNoOtherAttributes(t testing.TB, stack *fixture.Stack, of map[string]uses) {
	names := []string{
		"created_at", "custom_attributes", "email", "generation", "name", "password", "updated_at", "user",
	}
	for function, partitions := range updates {
		localtest.Case(t, function, func(t testing.TB) {
			may := map[string]bool{}
			for _, names := range partitions {
				for _, name := range names {
					may[name] = true
				}
			}
			expect.Equal(t,
				slices.Sorted(maps.Keys(of[function].attributes)), slices.Sorted(maps.Keys(may)),
				"attributes that requests need")
			for kind, key := range table.Kinds() {
				may := updatableAttributes(function, key)
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
					single := isAllowed(t, stack.AWSProxy(), function, "UpdateItem", request)
					transaction := object{"TransactItems": []object{{"Update": request}}}
					together := isAllowed(t, stack.AWSProxy(), function, "TransactWriteItems", transaction)
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
