package itemjson_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// documents are valid items; each is named after the types in it.
var documents = map[string]string{
	"scalars":        `{"S":{"S":"Größe \"<&>\" \n"},"N":{"N":"-1.50"},"B":{"B":"AAE="}}`,
	"booleans":       `{"t":{"BOOL":true},"f":{"BOOL":false}}`,
	"null":           `{"a":{"NULL":true}}`,
	"sets":           `{"SS":{"SS":["b","a"]},"NS":{"NS":["2","1"]},"BS":{"BS":["AAE=",""]}}`,
	"maps and lists": `{"m":{"M":{"":{"M":{}},"l":{"L":[{"L":[]},{"N":"1"},{"M":{"s":{"S":"x"}}}]}}}}`,
	"empty values":   `{"S":{"S":""},"B":{"B":""},"M":{"M":{}},"L":{"L":[]}}`,
	"no attributes":  `{}`,
}

// malformed documents are not items.
var malformed = map[string]string{
	"no object":           `[]`,
	"no type":             `{"a":{}}`,
	"two types":           `{"a":{"S":"1","N":"1"}}`,
	"an unknown type":     `{"a":{"X":"1"}}`,
	"a value without one": `{"a":"1"}`,
	"a null":              `{"a":null}`,
	"a null of a type":    `{"a":{"S":null}}`,
	"a null in a list":    `{"a":{"L":[null]}}`,
	"a number as such":    `{"a":{"N":1}}`,
	"no base64":           `{"a":{"B":"?"}}`,
}

// TestADocumentIsReadAsTheSDKReadsIt uses the SDK's own decoder as the oracle.
func TestADocumentIsReadAsTheSDKReadsIt(t *testing.T) {
	for name, text := range documents {
		t.Run(name, func(t *testing.T) { decodesAsTheSDK(t, text) })
	}
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			var d itemjson.Document
			if err := json.Unmarshal([]byte(text), &d); err == nil {
				t.Errorf("read %v", d)
			}
		})
	}
	var none itemjson.Document
	text, err := json.Marshal(none)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, string(text), "null")
	err = json.Unmarshal([]byte("null"), &none)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, none, nil)
}

// decodesAsTheSDK compares a document with what the SDK reads from the same JSON, both directly and after writing it
// and reading it again.
func decodesAsTheSDK(t *testing.T, text string) {
	t.Helper()
	query := &dynamodb.QueryInput{TableName: aws.String("t")}
	answer, err := read((*dynamodb.Client).Query, query, `{"Items":[`+text+`]}`)
	if err != nil {
		t.Fatal(err)
	}
	var d, again itemjson.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, &again); err != nil {
		t.Fatal(err)
	}
	want := itemjson.Document(answer.Items[0])
	if !reflect.DeepEqual(d, want) || !reflect.DeepEqual(again, want) {
		t.Errorf("%s is %v, written as %s, want %v", text, d, written, want)
	}
}

// FuzzDocument: whatever can be read is the same after writing and reading it again.
func FuzzDocument(f *testing.F) {
	for _, texts := range []map[string]string{documents, malformed} {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d, again itemjson.Document
		if json.Unmarshal([]byte(text), &d) != nil {
			return
		}
		written, err := json.Marshal(d)
		if err == nil {
			err = json.Unmarshal(written, &again)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		expect.Equal(t, d, again, text)
	})
}
