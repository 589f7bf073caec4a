package delivery

import (
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/base/api"
)

// Codes by which a program distinguishes what became of a mail that was to be sent.
const (
	// SESRejected is for a mail that SES refused. SES would refuse it again, until the mail or the account changes.
	SESRejected api.Code = "ses_rejected"
	// SESUnavailable is for a mail that was not sent, because SES did not accept it for the moment or there was no
	// time left to ask. It may be sent later.
	SESUnavailable api.Code = "ses_unavailable"
	// PartlySent is for a mail that certainly was not sent to some recipients, and was or may have been sent to others.
	PartlySent api.Code = "partly_sent"
	// UnknownOutcome is for a mail that may have reached all of its recipients, but perhaps has not.
	UnknownOutcome api.Code = "unknown_outcome"
	// Unsubscribed is for a mail whose recipients have all unsubscribed.
	Unsubscribed api.Code = "unsubscribed"
	// IdempotencyKeyReused is for an Idempotency-Key that was used for another mail.
	IdempotencyKeyReused api.Code = "idempotency_key_reused"
)

// Rejectf returns the error of a mail that was understood but not sent. It is of kind [api.Rejected], and no operator
// has to know of it. The text may contain addresses. Its length must not grow with the size of the request.
func Rejectf(code api.Code, format string, args ...any) *api.Error {
	return api.Errorf(api.Rejected, format, args...).WithCode(code)
}

// AsRejected returns the error of a mail that was understood but not sent, if err is one.
func AsRejected(err error) (rejected *api.Error, ok bool) {
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
