// Package rejection has the errors of mails that were understood but not sent. The length of an error does not grow
// with the size of the request.
package rejection

import (
	"fmt"
	"strings"

	"frontdesk/internal/api"
)

// Error says why a mail was understood but not sent.
type Error struct {
	Code   api.Code // for the client's program
	Reason string   // for the person who sends the mail; it may contain addresses
	Cause  string   // for the operator's log: a word without personal data; "" if the code says enough
	// Outage is true if an operator has to know of it: the fault is not in the mail, or nobody knows whether all of
	// the mail was sent.
	Outage bool
}

func (e *Error) Error() string { return e.Reason }

// Errorf returns an Error that no operator has to know of.
func Errorf(code api.Code, format string, args ...any) *Error {
	return &Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// maxRanges is the number of ranges that [Indices] names.
const maxRanges = 20

// Indices names the elements of a field with the given ascending indices, such as "a[1], a[3] to a[5]". After 20
// ranges it only counts the rest.
func Indices(field string, indices []int) string {
	var ranges []string
	for from := 0; from < len(indices); {
		to := from
		for to+1 < len(indices) && indices[to+1] == indices[to]+1 {
			to++
		}
		if len(ranges) == maxRanges {
			return fmt.Sprintf("%s and %d more", strings.Join(ranges, ", "), len(indices)-from)
		}
		name := fmt.Sprintf("%s[%d]", field, indices[from])
		if to > from {
			name += fmt.Sprintf(" to %s[%d]", field, indices[to])
		}
		ranges = append(ranges, name)
		from = to + 1
	}
	return strings.Join(ranges, ", ")
}
