package items

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/template"
)

// table is a table of a database.
type table struct {
	database, name  string
	partition, sort keyAttribute
	ttl             string
}

// open describes a table of the template: its name and its keys.
func open(database string, t template.Table) table {
	return table{
		database:  database,
		name:      t.Name,
		partition: keyOf(t, t.PartitionKey()),
		sort:      keyOf(t, t.SortKey()),
		ttl:       t.TTLAttribute,
	}
}

// reading says which items to read.
type reading struct {
	after     string // cursor of the last item so far; empty starts at the beginning
	partition string // empty reads all partitions
	keysOnly  bool
}

// read calls each for one item after the other, until it returns false or maxRead items were read. In the latter case
// next is the cursor with which to continue. Otherwise it is empty.
func (t table) read(ctx context.Context, r reading, each func(Key, item) bool) (next string, err error) {
	request := map[string]any{"TableName": t.name, "ConsistentRead": true, "Limit": readAtOnce}
	names, operation := map[string]string{}, "Scan"
	if r.keysOnly {
		// By placeholders, because an attribute may have a name that DynamoDB reserves.
		names["#p"], request["ProjectionExpression"] = t.partition.name, "#p"
		if t.sort.name != "" {
			names["#s"], request["ProjectionExpression"] = t.sort.name, "#p, #s"
		}
	}
	// A Query reads one partition; everything else needs a Scan.
	if r.partition != "" {
		operation = "Query"
		names["#p"], request["KeyConditionExpression"] = t.partition.name, "#p = :p"
		request["ExpressionAttributeValues"] = map[string]any{":p": map[string]string{t.partition.kind: r.partition}}
	}
	if len(names) > 0 {
		request["ExpressionAttributeNames"] = names
	}
	if r.after != "" {
		after, err := t.uncursor(r.after)
		if err != nil {
			return "", err
		}
		request["ExclusiveStartKey"] = t.written(after)
	}
	for range maxRead / readAtOnce {
		var page struct {
			Items            []item
			LastEvaluatedKey item
		}
		if err := t.call(ctx, operation, request, &page); err != nil {
			return "", err
		}
		for _, one := range page.Items {
			// The caller has what it wants. It knows where it stopped, and makes the cursor itself.
			if !each(t.keyOf(one), one) {
				return "", nil
			}
		}
		// A page may be shorter than its limit: only the absence of this key means the end.
		if page.LastEvaluatedKey == nil {
			return "", nil
		}
		request["ExclusiveStartKey"] = page.LastEvaluatedKey
		next = t.cursor(t.keyOf(page.LastEvaluatedKey))
	}
	return next, nil
}

// get reads one item.
func (t table) get(ctx context.Context, k Key) (item, error) {
	var found struct{ Item item }
	// DynamoDB would answer with a validation error. For the page it is an item that does not exist.
	if (k.SK == "") != (t.sort.name == "") {
		return nil, errNotFound
	}
	request := map[string]any{"TableName": t.name, "ConsistentRead": true, "Key": t.written(k)}
	err := t.call(ctx, "GetItem", request, &found)
	if err == nil && found.Item == nil {
		err = errNotFound
	}
	return found.Item, err
}

// call calls an operation in DynamoDB's own JSON, which the SDK does not expose.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
func (t table) call(ctx context.Context, operation string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.database, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	// The local servers require a signature, but do not verify it.
	r.Header.Set("X-Amz-Date", "20250101T000000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+dynamodb.AccessKeyID+
		"/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %.500s", operation, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}
