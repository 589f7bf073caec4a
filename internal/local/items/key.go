package items

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Key is the primary key of an item: strings and numbers as they are written, bytes in base64.
type Key struct {
	PK string `json:"pk"`
	SK string `json:"sk"` // empty: the table has no sort key
}

// Kind is the shape of a key: what its partition key and its sort key begin with, up to the first "#", which stands
// for all that may follow: "USER#/USER" of USER#0042 and USER, "ORDERS#/ITEM#" of ORDERS#0042 and ITEM#7.
func (k Key) Kind() string {
	kind := shape(k.PK)
	if k.SK != "" {
		kind += "/" + shape(k.SK)
	}
	return kind
}

func shape(part string) string {
	if before, _, found := strings.Cut(part, "#"); found {
		return before + "#"
	}
	return part
}

// cursor is a key as answers hand it out.
func (t table) cursor(k Key) string {
	text, _ := json.Marshal(k) // two strings
	return base64.RawURLEncoding.EncodeToString(text)
}

// uncursor is the key of a cursor, which is not empty.
func (t table) uncursor(cursor string) (k Key, err error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &k) != nil || k.PK == "" || (k.SK == "") != (t.sort.name == "") {
		return Key{}, errCursor
	}
	return k, nil
}

// written is a key in DynamoDB's JSON.
func (t table) written(k Key) map[string]map[string]string {
	key := map[string]map[string]string{t.partition.name: {t.partition.kind: k.PK}}
	if t.sort.name != "" {
		key[t.sort.name] = map[string]string{t.sort.kind: k.SK}
	}
	return key
}

// keyOf is the key of an item.
func (t table) keyOf(i item) Key {
	text := func(a keyAttribute) string {
		var value map[string]string
		json.Unmarshal(i[a.name], &value) // what is no value of a key, the database does not have
		return value[a.kind]
	}
	return Key{text(t.partition), text(t.sort)}
}

// inKey tells whether an attribute is one of the key.
func (t table) inKey(attribute string) bool {
	return attribute == t.partition.name || attribute == t.sort.name
}
