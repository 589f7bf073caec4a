package api

import (
	"fmt"
	"slices"
	"strings"
)

// Faults collects the violations of rules, so that a client learns all of them at once. The zero value has none.
type Faults struct{ messages, attributes []string }

// Add adds a fault of a field.
func (f *Faults) Add(attribute, format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
	if !slices.Contains(f.attributes, attribute) {
		f.attributes = append(f.attributes, attribute)
	}
}

// Err is the faults as one error of kind [Invalid], nil if there are none.
func (f *Faults) Err() error {
	if len(f.messages) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Message: strings.Join(f.messages, ", "), Attributes: f.attributes}
}
