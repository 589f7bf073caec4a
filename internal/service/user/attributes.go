package user

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
)

// Limits of a user's custom attributes.
const (
	MaxAttributes = 16 << 10 // in bytes, as JSON without spaces
	MaxDepth      = 32       // levels of objects and arrays; the attributes themselves are the first
)

// Attributes are the custom attributes of a user: a JSON object that belongs to the apps, kept as they sent it, without
// spaces. U+FFFD replaces halves of a character, because other parsers refuse these. The empty object is "".
type Attributes string

// newAttributes takes an object from a request's body. A nil object counts as the empty one.
func newAttributes(f *api.Faults, object json.RawMessage) Attributes {
	var compact bytes.Buffer
	_ = json.Compact(&compact, object) // cannot fail: the body was parsed before
	replaceSurrogates(compact.Bytes())
	switch text := compact.String(); {
	case len(text) > MaxAttributes:
		f.Add("custom_attributes", "Custom attributes are too large (maximum is %d bytes)", MaxAttributes)
		return ""
	case deeper(text, MaxDepth):
		f.Add("custom_attributes", "Custom attributes are nested too deeply (maximum is %d levels)", MaxDepth)
		return ""
	case text == "{}":
		return ""
	default:
		return Attributes(text)
	}
}

// attributeChanges are what a request changes of the custom attributes. Attributes that it does not name stay.
type attributeChanges struct {
	clear bool       // remove all attributes first, then take those given as they are
	given Attributes // null removes an attribute; anything else replaces its whole value
}

// decodeAttributeChanges takes an object from a request's body. A nil object, which is null in JSON, removes all
// attributes. The result is nil when nothing changes.
func decodeAttributeChanges(f *api.Faults, object json.RawMessage) *attributeChanges {
	if object == nil {
		return &attributeChanges{clear: true}
	}
	given := newAttributes(f, object)
	if given == "" {
		return nil
	}
	return &attributeChanges{given: given}
}

// apply returns the attributes after the changes. Attributes that stay keep their place, and new ones follow. When a
// name appears several times, the last one counts.
func (c attributeChanges) apply(to Attributes) Attributes {
	if c.clear {
		return c.given
	}
	before := to.members()
	var merged []string // name and value as in the object; "" for an attribute that is removed
	indexes := map[string]int{}
	for i, m := range slices.Concat(before, c.given.members()) {
		index, has := indexes[m.name]
		if !has {
			index = len(merged)
			indexes[m.name], merged = index, append(merged, "")
		}
		merged[index] = m.text
		if m.null && i >= len(before) {
			merged[index] = ""
		}
	}
	merged = slices.DeleteFunc(merged, func(text string) bool { return text == "" })
	if len(merged) == 0 {
		return ""
	}
	return Attributes("{" + strings.Join(merged, ",") + "}")
}

// member is one attribute of the object.
type member struct {
	name string // without escapes
	text string // name and value as in the object
	null bool
}

// members returns the attributes in their order. It returns every one of several with the same name.
func (a Attributes) members() (list []member) {
	decoder := json.NewDecoder(strings.NewReader(string(a)))
	_, _ = decoder.Token() // the opening brace; attributes are valid JSON, or empty
	for decoder.More() {
		begin := decoder.InputOffset()
		name, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil
		}
		text := strings.TrimPrefix(string(a[begin:decoder.InputOffset()]), ",")
		list = append(list, member{name: name.(string), text: text, null: string(value) == "null"})
	}
	return list
}

// deeper reports whether a JSON text has more than this many levels of objects and arrays.
func deeper(text string, levels int) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // a number may be too large for a float64
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > levels {
			return true
		}
	}
}

// MarshalJSON returns the object as it is stored.
func (a Attributes) MarshalJSON() ([]byte, error) {
	if a == "" {
		return []byte("{}"), nil
	}
	return []byte(a), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (a *Attributes) UnmarshalJSON(object []byte) error {
	*a = newAttributes(new(api.Faults), object)
	return nil
}
