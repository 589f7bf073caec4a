package items

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Key is the primary key of an item. Strings and numbers are as they are written, bytes are in base64.
type Key struct {
	PK string `json:"pk"`
	SK string `json:"sk"` // empty if the table has no sort key
}

// Kind is the shape of a key: the parts of its partition key and its sort key up to the first "#". So USER#0042 with
// the sort key USER is a "USER#/USER", and ORDERS#0042 with ITEM#7 is an "ORDERS#/ITEM#".
func (k Key) Kind() string {
	kind := shape(k.PK)
	if k.SK != "" {
		kind += "/" + shape(k.SK)
	}
	return kind
}

// shape cuts a part of a key after its first "#".
func shape(part string) string {
	if before, _, found := strings.Cut(part, "#"); found {
		return before + "#"
	}
	return part
}

// cursor encodes a key for an answer.
func (t table) cursor(k Key) string {
	text, _ := json.Marshal(k) // two strings
	return base64.RawURLEncoding.EncodeToString(text)
}

// uncursor decodes a cursor, which must not be empty.
func (t table) uncursor(cursor string) (k Key, err error) {
	// Strict, so that each place has only one cursor.
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &k) != nil || k.PK == "" || (k.SK == "") != (t.sort.name == "") {
		return Key{}, errCursor
	}
	return k, nil
}

// written returns a key in DynamoDB's JSON.
func (t table) written(k Key) map[string]map[string]string {
	key := map[string]map[string]string{t.partition.name: {t.partition.kind: k.PK}}
	if t.sort.name != "" {
		key[t.sort.name] = map[string]string{t.sort.kind: k.SK}
	}
	return key
}

// keyOf returns the key of an item.
func (t table) keyOf(i item) Key {
	text := func(a keyAttribute) string {
		var value map[string]string
		json.Unmarshal(i[a.name], &value) // the database contains only valid keys
		return value[a.kind]
	}
	return Key{text(t.partition), text(t.sort)}
}

// inKey reports whether an attribute belongs to the primary key.
func (t table) inKey(attribute string) bool {
	return attribute == t.partition.name || attribute == t.sort.name
}
