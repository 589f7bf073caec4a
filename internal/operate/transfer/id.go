package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
)

// ID is an id of the place that a file comes from: an integer from 1 to [id.Max], or a text such as a UUID. It only
// says which lines belong together. The integer 7 and the text "7" are one id. The zero ID means none.
type ID string

// maxID is the longest text of an id, in characters.
const maxID = 255

// IDOf returns the id of something in a table; none for 0.
func IDOf(number id.ID) ID {
	if number == 0 {
		return ""
	}
	return ID(number.String())
}

// Number returns an id that is an integer. ok is false for any other text.
func (i ID) Number() (n id.ID, ok bool) { return id.Parse(string(i)) }

// MarshalJSON writes an integer as a number.
func (i ID) MarshalJSON() ([]byte, error) {
	if _, ok := i.Number(); ok {
		return []byte(i), nil
	}
	return json.Marshal(string(i))
}

// parseID reads the JSON of an id. The text of its error continues the name of the field.
func parseID(value json.RawMessage) (ID, error) {
	if len(value) > 0 && value[0] == '"' {
		var text string
		err := json.Unmarshal(value, &text)
		if n := utf8.RuneCountInString(text); err == nil && (n < 1 || n > maxID) {
			err = fmt.Errorf("must have 1 to %d characters", maxID)
		}
		return ID(text), err
	}
	n, err := api.ParseInteger(value)
	switch {
	case err != nil && len(value) > 0 && (value[0] < '0' || value[0] > '9'):
		return "", errors.New("must be an integer or a text")
	case err != nil:
		return "", err
	case n < 1:
		return "", fmt.Errorf("must be an integer from 1 to %d, or a text", id.Max)
	}
	return IDOf(id.ID(n)), nil
}
