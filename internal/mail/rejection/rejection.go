// Package rejection is what the sender of a mail is told when it was understood but not sent: why, in words whose
// length does not grow with what he sent.
package rejection

import (
	"fmt"
	"strings"

	"frontdesk/internal/api"
)

// Error is why a mail was understood but not sent.
type Error struct {
	Code   api.Code // for the sender's program
	Reason string   // for the mail's sender; it may hold addresses
	Cause  string   // for the operator: a word for the reason that names nobody; "" where the code says all
	// Outage says that an operator has to know of it: the reason is not the mail's own, or nobody knows whether all of
	// the mail was sent.
	Outage bool
}

func (e *Error) Error() string { return e.Reason }

// Errorf makes an Error of which no operator has to know.
func Errorf(code api.Code, format string, args ...any) *Error {
	return &Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// maxRanges is the number of ranges of indices that are named.
const maxRanges = 20

// Indices names the elements of a field that have these indices, which ascend: a[1], a[3] to a[5]. It counts those
// beyond 20 ranges.
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
