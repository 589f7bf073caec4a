package user

import (
	"bytes"
	"encoding/json"
	"strings"

	"frontdesk/internal/api"
)

// Limits of a user's custom attributes.
const (
	MaxAttributes = 16 << 10 // in bytes, as JSON without spaces
	MaxDepth      = 32       // levels of objects and arrays, of which the attributes themselves are the first
)

// Attributes are the custom attributes of a user: a JSON object of the apps' own, kept as it was sent, without spaces.
// U+FFFD stands for what is not UTF-8 and for half a character, which other parsers refuse. The empty object is "".
type Attributes string

// newAttributes takes an object from a request's body; nil is the empty one.
func newAttributes(f *api.Faults, object json.RawMessage) Attributes {
	var compact bytes.Buffer
	_ = json.Compact(&compact, object) // the body was read as JSON before
	replaceSurrogates(compact.Bytes())
	switch text := string(bytes.Runes(compact.Bytes())); {
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

// deeper reports whether a JSON text has more levels of objects and arrays.
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

// MarshalJSON gives the object.
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
