package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Faults collects violations of rules, so that the client learns all of them at once. Its zero value is ready to use.
type Faults struct {
	Between string // separates the messages; "" stands for ", "
	Most    int    // so many faults are told, and the rest are counted; zero is no limit

	messages, attributes []string
	more                 int
}

// Len returns the number of faults.
func (f *Faults) Len() int { return len(f.messages) + f.more }

// AddTo records a fault of a field, whose name the message begins with.
func (f *Faults) AddTo(field, format string, args ...any) {
	f.Add(field, "%s", field+" "+fmt.Sprintf(format, args...))
}

// Check records an error of a field, as [Faults.AddTo] does; nil is none.
func (f *Faults) Check(field string, err error) {
	if err != nil {
		f.AddTo(field, "%s", err)
	}
}

// Add records a fault of a field. The message names the field.
func (f *Faults) Add(attribute, format string, args ...any) {
	if f.Most > 0 && len(f.messages) == f.Most {
		f.more++
		return
	}
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
	messages := f.messages
	if f.more > 0 {
		messages = append(slices.Clone(messages), fmt.Sprintf("and %d more", f.more))
	}
	return &Error{
		Kind: Invalid, Message: strings.Join(messages, cmp.Or(f.Between, ", ")), Attributes: f.attributes,
	}
}
