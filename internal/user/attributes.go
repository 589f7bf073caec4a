package user

import (
	"bytes"
	"encoding/json"
	"strings"

	"frontdesk/internal/api"
)

// MaxAttributes is the size of a user's custom attributes as JSON without spaces, in bytes.
const MaxAttributes = 16 << 10

// Attributes are the custom attributes of a user: a JSON object of the apps' own, kept as it was sent, without spaces.
// The empty object is "".
type Attributes string

// newAttributes takes an object from a request's body; nil is the empty one.
func newAttributes(f *api.Faults, object json.RawMessage) Attributes {
	var compact bytes.Buffer
	_ = json.Compact(&compact, object) // the body was read as JSON before
	switch text := strings.ToValidUTF8(compact.String(), "\ufffd"); {
	case len(text) > MaxAttributes:
		f.Add("custom_attributes", "Custom attributes are too large (maximum is %d bytes)", MaxAttributes)
		return ""
	case text == "{}":
		return ""
	default:
		return Attributes(text)
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
