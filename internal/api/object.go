package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/jsonscan"
)

// Object reads the fields of a JSON object by name, case-sensitively (encoding/json's structs are not).
//
// A field that is absent or null reads as its zero value. The first field of a wrong type is remembered:
// a decoder reads all it wants and asks [Object.Err] once, at the end.
type Object struct {
	fields map[string]json.RawMessage
	read   map[string]bool
	path   string // of this object inside the body, "" or ending in a dot
	*body
}

// body is what the objects of one request share.
type body struct {
	objects []*Object
	err     error
}

// ParseObject reads a body that is exactly one JSON object. A repeated name counts with its last value, as
// everywhere in encoding/json.
func ParseObject(data []byte) (*Object, error) {
	if fields, ok := jsonscan.Members(data); ok {
		return (&body{}).object(fields, ""), nil
	}
	if members(data) > maxMembers {
		return nil, Errorf(Malformed, "body must not have more than %d fields", maxMembers)
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(data, &fields)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, Errorf(Malformed, "body is not valid JSON: %s at byte %d", syntax, syntax.Offset)
	}
	if err != nil || fields == nil { // null decodes into a nil map
		return nil, Errorf(Malformed, "body must be one JSON object")
	}
	return (&body{}).object(fields, ""), nil
}

// errForm is for what the forms of browsers, and PHP's and curl's habits, send in place of JSON.
var errForm = Errorf(Malformed,
	"body must be a JSON object with Content-Type application/json; form fields are not read")

// ParseObject is the function [ParseObject] for the request's body, and says so where that is a form.
func (r *Request) ParseObject(body []byte) (*Object, error) {
	kind, _, _ := strings.Cut(strings.ToLower(r.Headers["content-type"]), ";")
	switch strings.TrimSpace(kind) {
	case "application/x-www-form-urlencoded", "multipart/form-data":
		// curl -d sends JSON under this name, too, and a fault in it is told as in any other.
		if begin := bytes.TrimSpace(body); !json.Valid(begin) && !bytes.HasPrefix(begin, []byte("{")) {
			return nil, errForm
		}
	}
	return ParseObject(body)
}

func (b *body) object(fields map[string]json.RawMessage, path string) *Object {
	o := &Object{fields: fields, read: map[string]bool{}, path: path, body: b}
	b.objects = append(b.objects, o)
	return o
}

// Err is the first wrong type that was met in the whole body, nil if there was none.
func (o *Object) Err() error { return o.err }

// Unknown is the paths of all fields that were never asked for, in all objects of the body that were read.
func (o *Object) Unknown() []string {
	var unknown []string
	for _, object := range o.objects {
		for name := range object.fields {
			if !object.read[name] {
				unknown = append(unknown, object.path+name)
			}
		}
	}
	slices.Sort(unknown)
	return unknown
}

// maxWarnings is the number of unknown fields that one answer names.
const maxWarnings = 20

// Warnings are sentences for the client, one for each unknown field: a misspelt one would otherwise go unnoticed.
// Advice gives the end of a field's sentence, "" for none; nil gives none for all.
func (o *Object) Warnings(advice func(path string) string) []string {
	var warnings []string
	for _, path := range o.Unknown() {
		if len(warnings) == maxWarnings {
			return append(warnings, "further unknown fields are ignored")
		}
		warning := "unknown field " + Brief(path) + " is ignored"
		if advice != nil {
			warning += advice(path)
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

// Know makes fields known that are read later, or not at all.
func (o *Object) Know(names ...string) {
	for _, name := range names {
		o.read[name] = true
	}
}

// Has reports whether a field is there, null included: an update changes only the fields that are there.
func (o *Object) Has(name string) bool {
	o.read[name] = true
	_, has := o.fields[name]
	return has
}

// Given reports whether a field is there, and neither null nor the empty string.
func (o *Object) Given(name string) bool {
	value := o.field(name)
	return value != nil && string(value) != `""`
}

// Null reports whether a field is there and null, which in an update clears it.
func (o *Object) Null(name string) bool { return o.Has(name) && o.field(name) == nil }

// String reads a string.
func (o *Object) String(name string) string {
	value := o.field(name)
	s, ok := jsonscan.Text(value)
	if !ok {
		o.decode(value, "a string", &s, name)
	}
	return s
}

// Bytes reads a string of base64 in the standard alphabet, with its padding (RFC 4648 section 4). Line breaks in
// it are skipped, as MIME has them.
func (o *Object) Bytes(name string) []byte {
	var b base64Text
	value := o.field(name)
	// A string without escapes is decoded where it stands: to read a long one as JSON takes ten times as long.
	if text, ok := bytes.CutPrefix(value, []byte(`"`)); ok && bytes.IndexByte(text, '\\') < 0 &&
		b.UnmarshalText(text[:len(text)-1]) == nil {
		return b
	}
	o.decode(value, "a base64 string", &b, name)
	return b
}

// base64Text decodes a string where it stands in the body, without a copy of it. It decodes strings alone: into plain
// bytes encoding/json would also read an array of numbers.
type base64Text []byte

func (b *base64Text) UnmarshalText(text []byte) (err error) {
	*b, err = base64.StdEncoding.AppendDecode(nil, text)
	return err
}

// Credential reads a string that authenticates the caller. Anything but a string is no credential, which the
// authentication has to say and not [Object.Err].
func (o *Object) Credential(name string) string {
	var s string
	if json.Unmarshal(o.field(name), &s) != nil {
		return ""
	}
	return s
}

// Int reads an integer, written without fraction or exponent.
func (o *Object) Int(name string) int64 {
	var n int64
	o.decode(o.field(name), "an integer", &n, name)
	return n
}

// Bool reads true or false.
func (o *Object) Bool(name string) bool {
	var b bool
	o.decode(o.field(name), "true or false", &b, name)
	return b
}

// Strings reads an array of strings.
func (o *Object) Strings(name string) []string { return elements[string](o, name, "a string") }

// Ints reads an array of integers.
func (o *Object) Ints(name string) []int64 { return elements[int64](o, name, "an integer") }

// Object reads an object; nil if there is none.
func (o *Object) Object(name string) *Object {
	var fields map[string]json.RawMessage
	if !o.decode(o.objectField(name), "an object", &fields, name) {
		return nil
	}
	return o.object(fields, o.path+name+".")
}

// RawObject reads an object whose fields are the caller's own, as it was sent; nil if there is none.
func (o *Object) RawObject(name string) json.RawMessage {
	var fields map[string]json.RawMessage
	object := o.objectField(name)
	if !o.decode(object, "an object", &fields, name) {
		return nil
	}
	return object
}

// Objects reads an array of objects.
func (o *Object) Objects(name string) []*Object {
	list := make([]*Object, 0)
	for i, fields := range elements[map[string]json.RawMessage](o, name, "an object") {
		list = append(list, o.object(fields, o.pathOf(name, i)+"."))
	}
	return list
}

// StringMap reads an object of strings whose names are the caller's choice, so that no name is unknown. A string that
// is null is left out.
func (o *Object) StringMap(name string) map[string]string {
	var fields map[string]json.RawMessage
	o.decode(o.objectField(name), "an object of strings", &fields, name)
	if o.err != nil {
		return nil
	}
	values := make(map[string]string, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) { // so that the first wrong one is always the same
		var s string
		if o.decode(unlessNull(fields[key]), "a string", &s, fmt.Sprintf("%s.%.100s", name, key)) {
			values[key] = s
		}
	}
	return values
}

// maxMembers is more than any array or object of a request may usefully have; each member costs time and memory.
const maxMembers = 10_000

// members counts the members of an array or object without decoding it: its commas, which are in nothing inside of it,
// and one. Of what is no JSON, or neither of them, the number means nothing.
func members(data []byte) int {
	n, depth := 1, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 1 {
				n++
			}
		}
	}
	return n
}

// elements reads an array of elements of one type, which want names, such as "a string".
func elements[T any](o *Object, name, want string) []T {
	var array []json.RawMessage
	_, noun, _ := strings.Cut(want, " ")
	o.decode(o.field(name), "an array of "+noun+"s", &array, name)
	if o.err != nil {
		return nil // the whole body is refused, so that the rest of it need not be read
	}
	list := make([]T, len(array))
	for i, element := range array {
		o.decode(notNull(element), want, &list[i], name, i)
	}
	return list
}

// field is a field's JSON, nil where it is absent or null.
func (o *Object) field(name string) json.RawMessage {
	o.read[name] = true
	return unlessNull(o.fields[name])
}

// objectField is the JSON of a field that is an object. An empty array is an empty object: PHP has one type for both,
// and its json_encode writes an empty one as [].
func (o *Object) objectField(name string) json.RawMessage {
	value := o.field(name)
	if inside, ok := bytes.CutPrefix(value, []byte("[")); ok && string(bytes.TrimSpace(inside)) == "]" {
		return json.RawMessage("{}")
	}
	return value
}

var null = []byte("null")

func unlessNull(value json.RawMessage) json.RawMessage {
	if bytes.Equal(value, null) {
		return nil
	}
	return value
}

// notNull makes null an element of the wrong type, whatever the wanted type is: a list has no absent elements.
func notNull(element json.RawMessage) json.RawMessage {
	if bytes.Equal(element, null) {
		return json.RawMessage("false")
	}
	return element
}

// decode reports whether there is a value of the wanted type. The first place with a value of another type, or of too
// many members, is remembered: a field, or an element of it.
func (o *Object) decode(value json.RawMessage, want string, into any, name string, index ...int) bool {
	if value == nil {
		return false
	}
	var fault *Error
	if value[0] != '"' && members(value) > maxMembers { // a long string need not be read for it
		fault = Errorf(Malformed, "%s must not have more than %d elements", o.pathOf(name, index...), maxMembers)
	} else if json.Unmarshal(value, into) != nil {
		fault = Errorf(Malformed, "%s must be %s", o.pathOf(name, index...), want)
	}
	if fault != nil && o.err == nil {
		o.err = fault
	}
	return fault == nil
}

func (o *Object) pathOf(name string, index ...int) string {
	path := o.path + name
	for _, i := range index {
		path += "[" + strconv.Itoa(i) + "]"
	}
	return path
}
