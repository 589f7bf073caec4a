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

// Access finds out what a DynamoDB call needs to be allowed.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
type Access struct {
	values        template.Values
	partitionKeys map[string]map[string]string // by table, then by index; "" is the table itself
}

// NewAccess is that of a template's tables.
func NewAccess(tables []template.Table, v template.Values) Access {
	a := Access{values: v, partitionKeys: make(map[string]map[string]string)}
	for _, table := range tables {
		a.partitionKeys[table.Name] = table.PartitionKeys()
	}
	return a
}

// MaxBody is the longest request that DynamoDB takes, in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const MaxBody = 16 << 20

// item is an item or its key: by attribute, then the type of its value: {"PK": {"S": "USER#1"}}.
type item map[string]attributeValue

type attributeValue map[string]json.RawMessage

// itemRequest is a request about one item, or one of a transaction's.
type itemRequest struct {
	TableName string
	Key, Item item
}

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
// As in IAM, a Scan has no leading keys, so that ForAllValues alone does not stop it: leave the action out of the policy,
// or add Null. Of operations that are not listed here (PartiQL, changes of tables) the leading keys are not known, so
// that no Allow with dynamodb:LeadingKeys covers them.
func (a Access) Permissions(operation string, body []byte) ([]iam.Permission, error) {
	switch operation {
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		return a.single(operation, body)
	case "Query":
		return a.query(body)
	case "BatchGetItem":
		return a.batchGet(body)
	case "BatchWriteItem":
		return a.batchWrite(body)
	case "TransactGetItems", "TransactWriteItems":
		return a.transaction(operation, body)
	}
	var in struct{ TableName, IndexName string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	keys := map[string][]string{iam.LeadingKeys: iam.Unknown}
	switch operation {
	case "DescribeTable", "DescribeTimeToLive", "Scan":
		keys = nil
	}
	return []iam.Permission{a.permission(operation, in.TableName, in.IndexName, keys)}, nil
}

func (a Access) single(operation string, body []byte) ([]iam.Permission, error) {
	var in itemRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	keys := map[string][]string{iam.LeadingKeys: a.leadingKeys(in.TableName, in.primaryKey(operation))}
	return []iam.Permission{a.permission(operation, in.TableName, "", keys)}, nil
}

func (a Access) query(body []byte) ([]iam.Permission, error) {
	var in struct {
		TableName, IndexName string
		keyCondition
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	keys := map[string][]string{iam.LeadingKeys: iam.Unknown}
	if name := a.partitionKeys[tableName(in.TableName)][in.IndexName]; name != "" {
		keys[iam.LeadingKeys] = in.valuesOf(name)
	}
	return []iam.Permission{a.permission("Query", in.TableName, in.IndexName, keys)}, nil
}

func (a Access) batchGet(body []byte) ([]iam.Permission, error) {
	var in struct {
		RequestItems map[string]struct{ Keys []item }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	var needed []iam.Permission
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		keys := map[string][]string{iam.LeadingKeys: a.leadingKeys(table, in.RequestItems[table].Keys...)}
		needed = append(needed, a.permission("BatchGetItem", table, "", keys))
	}
	return needed, nil
}

func (a Access) batchWrite(body []byte) ([]iam.Permission, error) {
	var in struct {
		RequestItems map[string][]struct{ PutRequest, DeleteRequest *itemRequest }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	var needed []iam.Permission
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		var items []item
		for _, write := range in.RequestItems[table] {
			if write.PutRequest != nil {
				items = append(items, write.PutRequest.Item)
			}
			if write.DeleteRequest != nil {
				items = append(items, write.DeleteRequest.Key)
			}
		}
		keys := map[string][]string{iam.LeadingKeys: a.leadingKeys(table, items...)}
		needed = append(needed, a.permission("BatchWriteItem", table, "", keys))
	}
	return needed, nil
}

// transaction needs the action of each of its items, not one of its own.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
func (a Access) transaction(operation string, body []byte) ([]iam.Permission, error) {
	var in struct {
		TransactItems []map[string]itemRequest
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	var needed []iam.Permission
	for _, entry := range in.TransactItems {
		for _, verb := range slices.Sorted(maps.Keys(entry)) {
			action, ok := transactionActions[verb]
			if !ok {
				return nil, fmt.Errorf("a transaction has no %s", verb)
			}
			keys := map[string][]string{
				iam.LeadingKeys:        a.leadingKeys(entry[verb].TableName, entry[verb].primaryKey(action)),
				iam.EnclosingOperation: {operation},
			}
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
	return iam.Permission{Action: "dynamodb:" + action, Resources: []string{resource}, Keys: iam.RequestKeys(a.values.Region, keys)}
}

// leadingKeys are the partition keys of items, unknown if one of them is.
func (a Access) leadingKeys(table string, items ...item) []string {
	name := a.partitionKeys[tableName(table)][""]
	var values []string
	for _, item := range items {
		value, ok := item[name].text()
		if !ok {
			return iam.Unknown
		}
		values = append(values, value)
	}
	return values
}

// primaryKey is where an action finds the key of its item.
func (r itemRequest) primaryKey(action string) item {
	if action == "PutItem" {
		return r.Item
	}
	return r.Key
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
