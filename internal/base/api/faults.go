package api

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Faults collects violations of rules, so that the client learns all of them at once. Its zero value is ready to use.
type Faults struct {
	Between string // separates the messages; "" stands for ", "
	Most    int    // so many faults are told, and the rest are counted; zero is no limit

	found []Fault
	more  int
}

// Fault is one broken rule. The message names the field in its own words.
type Fault struct{ Field, Message string }

// Len returns the number of faults.
func (f *Faults) Len() int { return len(f.found) + f.more }

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
	if f.Most > 0 && len(f.found) == f.Most {
		f.more++
		return
	}
	f.found = append(f.found, Fault{attribute, fmt.Sprintf(format, args...)})
}

// Err returns all faults as one error of kind [Invalid], or nil if there are none. Each field is named once, in the
// order of its first fault.
func (f *Faults) Err() error {
	if len(f.found) == 0 {
		return nil
	}
	var messages, attributes []string
	for _, fault := range f.found {
		messages = append(messages, fault.Message)
		if !slices.Contains(attributes, fault.Field) {
			attributes = append(attributes, fault.Field)
		}
	}
	if f.more > 0 {
		messages = append(messages, fmt.Sprintf("and %d more", f.more))
	}
	return &Error{
		Kind: Invalid, Attributes: attributes, faults: f.found,
		Message: strings.Join(messages, cmp.Or(f.Between, ", ")),
	}
}

// FaultsOf returns the faults of which an error tells, one by one. An error that [Faults.Err] has not made is one, of
// no field; nil has none.
func FaultsOf(err error) []Fault {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok && len(known.faults) > 0 {
		return known.faults
	}
	return []Fault{{"", err.Error()}}
}
