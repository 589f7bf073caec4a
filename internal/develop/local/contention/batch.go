package contention

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// batch serves those items of a batch whose partitions are not throttled and, for writes, that no transaction holds. It
// returns the others as unprocessed. If it can serve none of them, the whole batch is throttled.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
func (d *Database) batch(r *http.Request, c call) *answer {
	reads := c.operation == "BatchGetItem"
	// The first key stands for any: a test cannot rely on which one it is.
	unlucky := reads && c.active && len(c.items) > 1 && d.random() < d.config.Unprocessed
	skipped, all := make([]bool, len(c.items)), c.items
	c.items = nil
	d.mu.Lock()
	for i, item := range all {
		// Each item is admitted by itself, because a batch, unlike a transaction, may be served in part.
		one := call{operation: c.operation, items: all[i : i+1]}
		skipped[i] = unlucky && i == 0 || !reads && d.held[item.Key] || c.active && d.admit(one) != nil
		if !skipped[i] {
			c.items = append(c.items, item)
		}
	}
	d.mu.Unlock()
	switch len(c.items) {
	case len(all):
		return d.forward(r, c)
	// DynamoDB answers so only if it could serve nothing at all.
	case 0:
		return refused(badRequest("ThrottlingException", throttled))
	}
	var unprocessed map[string]any
	c.body, unprocessed = split(c.body, skipped)
	a := d.forward(r, c)
	var out map[string]any
	if a.status == http.StatusOK && json.Unmarshal(a.body.Bytes(), &out) == nil {
		out[map[bool]string{true: "UnprocessedKeys", false: "UnprocessedItems"}[reads]] = unprocessed
		changed, _ := json.Marshal(out)
		a.body = *bytes.NewBuffer(changed)
		// These headers describe the answer before the change.
		a.header.Del("Content-Length")
		a.header.Del("X-Amz-Crc32")
	}
	return a
}

// split removes from a batch the items that are left, and returns them separately. Their order is that of
// [dynamodb.Access.Items], which has read the same body.
func split(body []byte, skipped []bool) (rest []byte, unprocessed map[string]any) {
	var in map[string]any
	_ = json.Unmarshal(body, &in)
	tables, unprocessed := in["RequestItems"].(map[string]any), map[string]any{}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		reads, _ := tables[table].(map[string]any)
		list, writes := tables[table].([]any)
		if !writes {
			list, _ = reads["Keys"].([]any)
		}
		put := func(into map[string]any, leftOut bool) {
			var part []any
			for i, item := range list {
				if skipped[i] == leftOut {
					part = append(part, item)
				}
			}
			switch delete(into, table); {
			case len(part) == 0:
			case writes:
				into[table] = part
			default:
				unread := maps.Clone(reads)
				unread["Keys"] = part
				into[table] = unread
			}
		}
		put(tables, false)
		put(unprocessed, true)
		skipped = skipped[len(list):]
	}
	rest, _ = json.Marshal(in)
	return rest, unprocessed
}
