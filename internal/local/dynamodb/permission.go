package dynamodb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/local/iam"
	"frontdesk/internal/local/template"
)

// MaxBody is the longest request that DynamoDB takes, in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const MaxBody = 16 << 20

// Access finds out what a call needs to be allowed, and what it touches.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
type Access struct {
	values        template.Values
	partitionKeys map[string]map[string]string // by table, then by index; "" is the table itself
	sortKeys      map[string]string            // by table
}

// NewAccess knows the keys of a template's tables.
func NewAccess(tables []template.Table, v template.Values) Access {
	a := Access{values: v, partitionKeys: make(map[string]map[string]string), sortKeys: make(map[string]string)}
	for _, table := range tables {
		a.partitionKeys[table.Name], a.sortKeys[table.Name] = table.PartitionKeys(), table.SortKey()
	}
	return a
}

// request is what decides about the permissions in the request of any operation.
type request struct {
	itemRequest
	keyCondition
	IndexName     string
	RequestItems  map[string]json.RawMessage // of batches, by table
	TransactItems []map[string]itemRequest   // by verb
}

// itemRequest is a request about one item, or one of a transaction's.
type itemRequest struct {
	TableName string
	Key, Item item
}

// item is an item or its key: by attribute, then the type of its value: {"PK": {"S": "USER#1"}}.
type item map[string]attributeValue

type attributeValue map[string]json.RawMessage

// transactionActions are the actions behind the verbs of a transaction.
var transactionActions = map[string]string{
	"ConditionCheck": "ConditionCheckItem",
	"Delete":         "DeleteItem",
	"Get":            "GetItem",
	"Put":            "PutItem",
	"Update":         "UpdateItem",
}

// Permissions are what an operation needs, in the order of the request. An error means that the body is no request.
//
// As in IAM, a Scan has no leading keys, so that ForAllValues alone does not stop it: leave the action out of the
// policy, or add Null. Of operations that are not listed here (PartiQL, changes of tables) the leading keys are not
// known, so that no Allow with dynamodb:LeadingKeys covers them.
func (a Access) Permissions(operation string, body []byte) ([]iam.Permission, error) {
	var in request
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	var keys map[string][]string
	switch operation {
	case "BatchGetItem", "BatchWriteItem":
		return a.batch(operation, in)
	case "TransactGetItems", "TransactWriteItems":
		return a.transaction(operation, in)
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		keys = a.leadingKeys(in.TableName, in.primaryKey(operation))
	case "Query":
		keys = leadingKeys(iam.Unknown)
		if name := a.partitionKeys[tableName(in.TableName)][in.IndexName]; name != "" {
			keys = leadingKeys(in.valuesOf(name))
		}
	case "DescribeTable", "DescribeTimeToLive", "Scan":
	default:
		keys = leadingKeys(iam.Unknown)
	}
	return []iam.Permission{a.permission(operation, in.TableName, in.IndexName, keys)}, nil
}

// batch needs its action on every table.
func (a Access) batch(operation string, in request) ([]iam.Permission, error) {
	var needed []iam.Permission
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		items, err := batchItems(operation, in.RequestItems[table])
		if err != nil {
			return nil, err
		}
		needed = append(needed, a.permission(operation, table, "", a.leadingKeys(table, items...)))
	}
	return needed, nil
}

// batchItems are the items that a batch reads or writes in one table, or their keys.
func batchItems(operation string, of json.RawMessage) ([]item, error) {
	if operation == "BatchGetItem" {
		var reads struct{ Keys []item }
		err := json.Unmarshal(of, &reads)
		return reads.Keys, err
	}
	var writes []struct{ PutRequest, DeleteRequest *itemRequest }
	err := json.Unmarshal(of, &writes)
	var items []item
	for _, write := range writes {
		if write.PutRequest != nil {
			items = append(items, write.PutRequest.Item)
		}
		if write.DeleteRequest != nil {
			items = append(items, write.DeleteRequest.Key)
		}
	}
	return items, err
}

// transaction needs the action of each of its items, not one of its own.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
func (a Access) transaction(operation string, in request) ([]iam.Permission, error) {
	var needed []iam.Permission
	for _, entry := range in.TransactItems {
		for _, verb := range slices.Sorted(maps.Keys(entry)) {
			action, ok := transactionActions[verb]
			if !ok {
				return nil, fmt.Errorf("a transaction has no %s", verb)
			}
			keys := a.leadingKeys(entry[verb].TableName, entry[verb].primaryKey(action))
			keys[iam.EnclosingOperation] = []string{operation}
			needed = append(needed, a.permission(action, entry[verb].TableName, "", keys))
		}
	}
	return needed, nil
}

// permission is an action on a table or one of its indexes; on everything when the request names no table.
func (a Access) permission(action, table, index string, keys map[string][]string) iam.Permission {
	resource := "*"
	if table != "" {
		resource = a.values.ARN("dynamodb", "table/"+tableName(table))
		if strings.HasPrefix(table, "arn:") {
			resource = table
		}
		if index != "" {
			resource += "/index/" + index
		}
	}
	return iam.Permission{
		Action: "dynamodb:" + action, Resources: []string{resource}, Keys: iam.RequestKeys(a.values.Region, keys),
	}
}

// leadingKeys are the partition keys of items, unknown if one of them is.
func (a Access) leadingKeys(table string, items ...item) map[string][]string {
	name := a.partitionKeys[tableName(table)][""]
	var wanted []attributeValue
	for _, item := range items {
		wanted = append(wanted, item[name])
	}
	return leadingKeys(texts(wanted))
}

func leadingKeys(values []string) map[string][]string {
	return map[string][]string{iam.LeadingKeys: values}
}

// primaryKey is where an action finds the key of its item.
func (r itemRequest) primaryKey(action string) item {
	if action == "PutItem" {
		return r.Item
	}
	return r.Key
}

// texts are keys as IAM compares them, unknown if one of them is none.
func texts(keys []attributeValue) []string {
	var values []string
	for _, key := range keys {
		value, ok := key.text()
		if !ok {
			return iam.Unknown
		}
		values = append(values, value)
	}
	return values
}

// text is a key as IAM compares it: the string, the number as written, or the base64 of the bytes.
func (v attributeValue) text() (value string, ok bool) {
	for _, kind := range []string{"S", "N", "B"} {
		if raw, found := v[kind]; found {
			err := json.Unmarshal(raw, &value)
			return value, err == nil
		}
	}
	return "", false
}

// tableName is the name of a table that a request may also give by its ARN.
func tableName(nameOrARN string) string {
	if _, name, ok := strings.Cut(nameOrARN, ":table/"); ok {
		return name
	}
	return nameOrARN
}
