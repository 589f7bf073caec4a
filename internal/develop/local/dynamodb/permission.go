package dynamodb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/iam"
	"frontdesk/internal/develop/local/samtemplate"
)

// MaxBody is DynamoDB's limit for a request, in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const MaxBody = 16 << 20

// Access determines which permissions a call needs, and which items it touches.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
type Access struct {
	values        samtemplate.Values
	partitionKeys map[string]string // by table
	sortKeys      map[string]string // by table
}

// NewAccess returns an Access that knows the keys of a template's tables.
func NewAccess(tables []samtemplate.Table, v samtemplate.Values) Access {
	a := Access{values: v, partitionKeys: make(map[string]string), sortKeys: make(map[string]string)}
	for _, table := range tables {
		a.partitionKeys[table.Name], a.sortKeys[table.Name] = table.PartitionKey(), table.SortKey()
	}
	return a
}

// request contains whatever decides about permissions in the request of any operation.
type request struct {
	itemRequest
	keyCondition
	IndexName     string
	RequestItems  map[string]json.RawMessage // of a batch, by table
	TransactItems []map[string]itemRequest   // of a transaction, by verb
}

// itemRequest is a request about one item, or one operation of a transaction.
type itemRequest struct {
	TableName string
	Key, Item item

	UpdateExpression, ConditionExpression string
	ExpressionAttributeNames              attributeNames
	// The older form of an update.
	AttributeUpdates, Expected json.RawMessage
}

// item is an item or a key, as JSON by attribute and then by type: {"PK": {"S": "USER#1"}}.
type item map[string]attributeValue

// attributeValue is a value as JSON: an object whose only name is the type.
type attributeValue map[string]json.RawMessage

// transactionActions maps the verbs of a transaction to their actions.
var transactionActions = map[string]string{
	"ConditionCheck": "ConditionCheckItem",
	"Delete":         "DeleteItem",
	"Get":            "GetItem",
	"Put":            "PutItem",
	"Update":         "UpdateItem",
}

// Permissions returns the permissions that an operation needs, in the order of the request. An error means that the
// body is no valid request.
//
// A Scan has no leading keys, as in IAM. So a condition on them does not stop it: a policy has to leave the action out.
// Of operations that are not listed here (PartiQL, changes of tables), and of an index, the leading keys are unknown,
// so no statement with dynamodb:LeadingKeys covers them. The attributes are known of updates alone, so none with
// dynamodb:Attributes covers anything else.
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
		return a.transaction(in)
	case "GetItem", "PutItem", "UpdateItem", "DeleteItem":
		keys = a.itemKeys(in.itemRequest, operation)
	case "Query":
		keys = leadingKeys(iam.Unknown)
		if name := a.partitionKeys[tableName(in.TableName)]; name != "" && in.IndexName == "" {
			keys = leadingKeys(in.valuesOf(name, in.ExpressionAttributeNames))
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

// batchItems returns the items, or keys, that a batch reads or writes in one table.
func batchItems(operation string, requests json.RawMessage) ([]item, error) {
	if operation == "BatchGetItem" {
		var reads struct{ Keys []item }
		err := json.Unmarshal(requests, &reads)
		return reads.Keys, err
	}
	var writes []struct{ PutRequest, DeleteRequest *itemRequest }
	err := json.Unmarshal(requests, &writes)
	var items []item
	for _, write := range writes {
		// A put has its key in the item, a deletion has only the key.
		if write.PutRequest != nil {
			items = append(items, write.PutRequest.Item)
		}
		if write.DeleteRequest != nil {
			items = append(items, write.DeleteRequest.Key)
		}
	}
	return items, err
}

// transaction needs the action of each of its operations, and none of its own.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
func (a Access) transaction(in request) ([]iam.Permission, error) {
	var needed []iam.Permission
	for _, entry := range in.TransactItems {
		for _, verb := range slices.Sorted(maps.Keys(entry)) {
			action, ok := transactionActions[verb]
			if !ok {
				return nil, fmt.Errorf("a transaction has no %s", verb)
			}
			needed = append(needed, a.permission(action, entry[verb].TableName, "", a.itemKeys(entry[verb], action)))
		}
	}
	return needed, nil
}

// WrittenItem is the key of an item that a transaction writes, as the request of a get or a deletion has it.
type WrittenItem struct {
	TableName string
	Key       json.RawMessage
}

// Written returns the items that a TransactWriteItems writes, in the order of the request. It leaves out those that it
// only checks.
func (a Access) Written(body []byte) (written []WrittenItem, err error) {
	var in request
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	for _, entry := range in.TransactItems {
		for verb, operation := range entry {
			if verb == "ConditionCheck" {
				continue
			}
			table, key := tableName(operation.TableName), item{}
			primary := operation.primaryKey(transactionActions[verb])
			for _, name := range []string{a.partitionKeys[table], a.sortKeys[table]} {
				if name != "" {
					key[name] = primary[name]
				}
			}
			text, err := json.Marshal(key)
			if err != nil {
				return nil, err
			}
			written = append(written, WrittenItem{operation.TableName, text})
		}
	}
	return written, nil
}

// permission is an action on a table or an index. If the request names no table, the resource is "*".
func (a Access) permission(action, table, index string, keys map[string][]string) iam.Permission {
	resource := "*"
	if table != "" {
		resource = a.values.ARN("dynamodb", "table/"+tableName(table))
		// IAM compares the ARN as it was sent, also one of another account.
		if strings.HasPrefix(table, "arn:") {
			resource = table
		}
		if index != "" {
			resource += "/index/" + index
		}
	}
	all := map[string][]string{iam.Attributes: iam.Unknown}
	maps.Copy(all, keys)
	return iam.Permission{Action: "dynamodb:" + action, Resources: []string{resource}, Keys: all}
}

// itemKeys returns the condition keys of an action on one item.
func (a Access) itemKeys(r itemRequest, action string) map[string][]string {
	keys := a.leadingKeys(r.TableName, r.primaryKey(action))
	if action == "UpdateItem" {
		keys[iam.Attributes] = r.attributes()
	}
	return keys
}

// leadingKeys returns the partition keys of items. It returns unknown if one of them cannot be determined.
func (a Access) leadingKeys(table string, items ...item) map[string][]string {
	name := a.partitionKeys[tableName(table)]
	var wanted []attributeValue
	for _, item := range items {
		wanted = append(wanted, item[name])
	}
	return leadingKeys(texts(wanted))
}

// leadingKeys returns the condition key for these partition keys.
func leadingKeys(values []string) map[string][]string {
	return map[string][]string{iam.LeadingKeys: values}
}

// primaryKey returns the part of the request that contains the key of the item.
func (r itemRequest) primaryKey(action string) item {
	if action == "PutItem" {
		return r.Item
	}
	return r.Key
}

// texts returns keys as IAM compares them. It returns unknown if one of them is no key.
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

// text returns a key as IAM compares it: a string, a number as it was written, or bytes in base64.
func (v attributeValue) text() (value string, ok bool) {
	for _, kind := range []string{"S", "N", "B"} {
		if raw, found := v[kind]; found {
			err := json.Unmarshal(raw, &value)
			return value, err == nil
		}
	}
	return "", false
}

// tableName returns the name of a table. A request may also give the table's ARN.
func tableName(nameOrARN string) string {
	if _, name, ok := strings.Cut(nameOrARN, ":table/"); ok {
		return name
	}
	return nameOrARN
}
