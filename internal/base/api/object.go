package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Object reads the fields of a JSON object by name. Names are case-sensitive, unlike those of encoding/json's structs.
//
// A field that is absent or null reads as its zero value. Object remembers the first field of a wrong type. So a
// decoder reads all the fields that it wants, and checks [Object.Err] once at the end.
type Object struct {
	fields map[string]json.RawMessage
	read   map[string]bool // names that a decoder asked for
	path   string          // of this object within the body: "" or a path that ends in a dot
	*body
}

// body is the state that all objects of one request share.
type body struct {
	objects  []*Object
	examples map[string]string
	err      error
}

// ParseObject parses a body that is exactly one JSON object. If a name is repeated, its last value counts, as it does
// in encoding/json. The error is of kind [Malformed].
func ParseObject(data []byte) (*Object, error) {
	if fields, ok := cutObject(data); ok {
		return (&body{}).object(fields, ""), nil
		// The number of fields is checked before decoding: anybody may send a body, and a map of a million fields
		// costs memory.
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

// object registers a new object with the body, so that [Object.Unknown] covers it.
func (b *body) object(fields map[string]json.RawMessage, path string) *Object {
	o := &Object{fields: fields, read: map[string]bool{}, path: path, body: b}
	b.objects = append(b.objects, o)
	return o
}

// Show sets examples, which errors of wrong types end with: for the name of a field one right member with that name. It
// holds for all objects of the body.
func (o *Object) Show(examples map[string]string) { o.examples = examples }

// Err returns the first type error in the whole body, or nil.
func (o *Object) Err() error { return o.err }

// TakeErr returns what [Object.Err] returns, and forgets it. A decoder that reports every fault asks after each field.
func (o *Object) TakeErr() error {
	err := o.err
	o.err = nil
	return err
}

// Unknown returns the sorted paths of all fields that nothing asked for. It covers the objects that were read; what is
// inside an unknown field is not listed.
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

// Claim returns the sorted paths of those unknown fields that match, except empty ones: null, "", [] and {} count as
// not given. All that match are known from then on. Like [Object.Unknown] it covers the objects that were read.
func (o *Object) Claim(match func(path string, value json.RawMessage) bool) (given []string) {
	for _, object := range o.objects {
		for name, value := range object.fields {
			path := object.path + name
			if object.read[name] || !match(path, value) {
				continue
			}
			object.read[name] = true
			if !empty(value) {
				given = append(given, path)
			}
		}
	}
	slices.Sort(given)
	return given
}

// maxWarnings limits how many unknown fields an answer names.
const maxWarnings = 20

// Warnings returns one sentence per unknown field; a misspelt field would otherwise go unnoticed. Advice may add an end
// to a field's sentence, or return "". It may be nil.
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

// MarkKnown marks fields as known that are read later, or never.
func (o *Object) MarkKnown(names ...string) {
	for _, name := range names {
		o.read[name] = true
	}
}

// Has reports whether a field is present, even if it is null. An update changes only the fields that are present.
func (o *Object) Has(name string) bool {
	o.read[name] = true
	_, has := o.fields[name]
	return has
}

// Null reports whether a field is present and null. In an update, null clears the field.
func (o *Object) Null(name string) bool { return o.Has(name) && o.field(name) == nil }

// String reads a string.
func (o *Object) String(name string) string { return o.text(name, o.field(name), "a string") }

// StringOrNumber reads a string, or a number as the text that it has in the JSON.
func (o *Object) StringOrNumber(name string) string {
	value := o.field(name)
	if len(value) > 0 && (value[0] == '-' || '0' <= value[0] && value[0] <= '9') {
		return string(value)
	}
	return o.text(name, value, "a string or a number")
}

// text reads a field that must be a string. Want says what else it may be.
func (o *Object) text(name string, value json.RawMessage, want string) string {
	// The fast path takes plain strings without escapes; encoding/json reads the others and finds what is no string.
	s, ok := plainText(value)
	if !ok {
		o.decode(value, want, &s, name)
	}
	return s
}

// Bytes reads a string of base64, in the forms of [base64Text]. It returns nil if the field is absent or null, and
// another empty slice if the string is empty.
func (o *Object) Bytes(name string) []byte {
	var b base64Text
	value := o.field(name)
	// Base64 without escapes is decoded in place: encoding/json takes ten times as long for a long string.
	if text, ok := bytes.CutPrefix(value, []byte(`"`)); ok && bytes.IndexByte(text, '\\') < 0 &&
		b.UnmarshalText(text[:len(text)-1]) == nil {
		return b
	}
	o.decode(value, "a string of base64", &b, name)
	return b
}

// Credential reads a string that authenticates the caller. A value of another type is returned as its JSON, which is no
// credential. So the client gets the error of authentication, not a type error from [Object.Err].
func (o *Object) Credential(name string) string {
	var s string
	value := o.field(name)
	if json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}

// Int reads an integer, as [ParseInteger] does.
func (o *Object) Int(name string) int64 {
	var n integer
	o.decode(o.field(name), "an integer", &n, name)
	return int64(n)
}

// Bool reads true or false.
func (o *Object) Bool(name string) bool {
	var b bool
	o.decode(o.field(name), "true or false", &b, name)
	return b
}

// Strings reads an array of strings.
func (o *Object) Strings(name string) []string { return elements[string](o, name, "a string") }

// Ints reads an array of integers, as [ParseInteger] does.
func (o *Object) Ints(name string) []int64 {
	var list []int64
	for _, n := range elements[integer](o, name, "an integer") {
		list = append(list, int64(n))
	}
	return list
}

// Object reads an object. It returns nil if the field is absent or null.
func (o *Object) Object(name string) *Object {
	var fields map[string]json.RawMessage
	if !o.decode(o.objectField(name), "an object", &fields, name) {
		return nil
	}
	return o.object(fields, o.path+name+".")
}

// Raw returns a field's JSON unchanged, of whatever type. It returns nil if the field is absent or null.
func (o *Object) Raw(name string) json.RawMessage { return o.field(name) }

// RawObject reads an object whose fields are the caller's own, and returns its JSON unchanged. It returns nil if the
// field is absent or null. The fields inside count as known.
func (o *Object) RawObject(name string) json.RawMessage {
	var fields map[string]json.RawMessage
	object := o.objectField(name)
	if !o.decode(object, "an object", &fields, name) {
		return nil
	}
	return object
}

// Objects reads an array of objects. It returns an empty slice if the field is absent or null, never nil.
func (o *Object) Objects(name string) []*Object {
	list := make([]*Object, 0)
	for i, fields := range elements[map[string]json.RawMessage](o, name, "an object") {
		list = append(list, o.object(fields, o.pathOf(name, i)+"."))
	}
	return list
}

// StringMap reads an object of strings with any names: none of them is unknown. It leaves out values that are null.
func (o *Object) StringMap(name string) map[string]string {
	var fields map[string]json.RawMessage
	o.decode(o.objectField(name), "an object of strings", &fields, name)
	if o.err != nil {
		return nil
	}
	values := make(map[string]string, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) { // sorted, so that the first error is always the same
		var s string
		if o.decode(unlessNull(fields[key]), "a string", &s, fmt.Sprintf("%s.%.100s", name, key)) {
			values[key] = s
		}
	}
	return values
}

// maxMembers limits the members of each array or object of a request. Each costs time and memory, and no real request
// needs that many.
const maxMembers = 10_000

// members counts the members of an array or object without decoding it: its commas at the outermost level, plus one.
// For other input the number means nothing.
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

// elements reads an array of T. Want describes an element, for instance "a string".
func elements[T any](o *Object, name, want string) []T {
	var array []json.RawMessage
	_, noun, _ := strings.Cut(want, " ")
	value := o.field(name)
	o.decode(value, "an array of "+noun+"s"+numbered(value), &array, name)
	if o.err != nil {
		// The whole body is refused, so the rest need not be read.
		return nil
	}
	list := make([]T, len(array))
	for i, element := range array {
		o.decode(notNull(element), want, &list[i], name, i)
	}
	return list
}

// numbered returns a hint if a value is an object whose first key is a number, else "". PHP's json_encode writes an
// array as an object if its keys are not 0, 1, 2 and so on; its author sees an array all the same.
func numbered(value json.RawMessage) string {
	inside, ok := bytes.CutPrefix(value, []byte("{"))
	if !ok {
		return ""
	}
	key, ok := bytes.CutPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"`))
	digits := key[:len(key)-len(bytes.TrimLeft(key, "0123456789"))]
	if !ok || len(digits) == 0 || key[len(digits)] != '"' {
		return ""
	}
	return fmt.Sprintf(", not an object with the key %q (array_values in PHP and values in Ruby make an array of it)",
		Brief(string(digits)))
}

// field returns a field's JSON, or nil if the field is absent or null. It marks the field as known.
func (o *Object) field(name string) json.RawMessage {
	o.read[name] = true
	return unlessNull(o.fields[name])
}

// objectField returns the JSON of a field that should be an object. An empty array counts as an empty object: PHP uses
// one type for both, and its json_encode writes an empty one as [].
func (o *Object) objectField(name string) json.RawMessage {
	value := o.field(name)
	if value != nil && value[0] == '[' && empty(value) {
		return json.RawMessage("{}")
	}
	return value
}

// empty reports whether a value is null, "", [] or {}.
func empty(value json.RawMessage) bool {
	if value[0] == '[' || value[0] == '{' {
		return len(bytes.TrimSpace(value[1:len(value)-1])) == 0
	}
	return bytes.Equal(value, null) || string(value) == `""`
}

var null = []byte("null")

// unlessNull turns null into nil, so that null and absence read the same.
func unlessNull(value json.RawMessage) json.RawMessage {
	if bytes.Equal(value, null) {
		return nil
	}
	return value
}

// notNull replaces null by a value that never has the wanted type. In an array, null is an error: an array has no
// absent elements.
func notNull(element json.RawMessage) json.RawMessage {
	if bytes.Equal(element, null) {
		return json.RawMessage("false")
	}
	return element
}

// decode decodes value, and reports whether it was there and had the wanted type. It remembers the path of the first
// value that has another type or too many members.
func (o *Object) decode(value json.RawMessage, want string, into any, name string, index ...int) bool {
	if value == nil {
		return false
	}
	var fault string
	if value[0] != '"' && members(value) > maxMembers { // a long string need not be scanned
		fault = fmt.Sprintf("must not have more than %d elements", maxMembers)
	} else if err := json.Unmarshal(value, into); err != nil {
		fault = "must be " + want + o.example(name)
		if wrong, ok := errors.AsType[wrongValue](err); ok {
			fault = string(wrong)
		}
	}
	if fault != "" && o.err == nil {
		o.err = Errorf(Malformed, "%s %s", o.pathOf(name, index...), fault)
	}
	return fault == ""
}

// wrongValue is the error of a type that decodes itself. It continues the name of the field.
type wrongValue string

func (w wrongValue) Error() string { return string(w) }

// example returns the end of an error: one right value of the field, or "".
func (b *body) example(name string) string {
	if b.examples[name] == "" {
		return ""
	}
	return ", as in " + b.examples[name]
}

// pathOf names a field, or an element of it, from the root of the body: "attachments[2].url".
func (o *Object) pathOf(name string, index ...int) string {
	path := o.path + name
	for _, i := range index {
		path += "[" + strconv.Itoa(i) + "]"
	}
	return path
}
