package api

import (
	"fmt"
	"slices"
	"strings"
)

// Faults collects violations of rules, so that the client learns all of them at once. Its zero value is ready to use.
type Faults struct{ messages, attributes []string }

// Add records a fault of a field. The message names the field.
func (f *Faults) Add(attribute, format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
	if !slices.Contains(f.attributes, attribute) {
		f.attributes = append(f.attributes, attribute)
	}
}

// Err returns all faults as one error of kind [Invalid], or nil if there are none. Each field is named once, in the
// order of its first fault.
func (f *Faults) Err() error {
	if len(f.messages) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Message: strings.Join(f.messages, ", "), Attributes: f.attributes}
}
