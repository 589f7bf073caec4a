// Package rejection has the errors of mails that were understood but not sent. The length of an error does not grow
// with the size of the request.
package rejection

import (
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/base/api"
)

// Errorf returns the error of a mail that was not sent. It is of kind [api.Rejected], and no operator has to know of
// it. The text may contain addresses.
func Errorf(code api.Code, format string, args ...any) *api.Error {
	return api.Errorf(api.Rejected, format, args...).WithCode(code)
}

// As returns the error of a mail that was understood but not sent, if err is one.
func As(err error) (rejected *api.Error, ok bool) {
	rejected, ok = errors.AsType[*api.Error](err)
	return rejected, ok && rejected.Kind == api.Rejected
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
