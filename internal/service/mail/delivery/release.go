package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/api"
)

// release ends the attempt: it records the result of the mail, and returns the outcome. Stopped is the error that
// stopped the delivery, or nil. If SES was asked for every group, release also stores the answer, which is final from
// then on. Otherwise the next attempt may at once continue with the remaining groups, and the quota gets their
// reservation back. The write is repeated until the context ends.
//
// If the write fails, the outcome is what later attempts will say. If nobody knows what they will say, its error is
// of kind [api.Unavailable].
func (a *attempt) release(ctx context.Context, stopped error) Outcome {
	o := a.outcome(stopped)
	taken := o.Taken
	written, err := a.settle(ctx, o.Answer, stopped != nil)
	if !written {
		o = a.unwritten(stopped, err)
	}
	o.Taken, o.Fault = taken, errors.Join(a.fault, err)
	return o
}

// errUnsettled is for a request that does not know what its record says. It must not give an answer of its own: later
// requests repeat the first final answer, which may be a different one.
var errUnsettled = api.Errorf(api.Unavailable,
	"Not available at the moment, please try again with the same Idempotency-Key")

// unwritten returns the outcome after the last write has failed. It forgets everything that is not stored, because
// later attempts will know only what is stored.
func (a *attempt) unwritten(stopped, err error) Outcome {
	otherDecides := errors.Is(err, errInUse)
	if a.writer.unanswered || otherDecides {
		return Outcome{Err: errUnsettled}
	}
	if a.progress.restore(a.writer.stored) {
		stopped = nil // whatever it was, the record says that SES was asked
	}
	return a.outcome(stopped)
}

// settle records the state of the mail, and its answer if that is final. It gives the unused part of the quota back.
// If the mail could not be delivered, the next attempt decides anew who is left out. settle reports whether the
// record has this state; it also reports true if there is no record to write.
func (a *attempt) settle(ctx context.Context, answer Answer, undelivered bool) (written bool, err error) {
	if !a.writer.claimed && !a.writer.unanswered {
		return true, nil
	}
	_, pending := a.progress.pending()
	if undelivered {
		a.progress.reset(a.leftOut)
	}
	if pending == 0 && a.writer.claimed && a.record.exists() {
		body, err := api.Marshal(answer)
		if err != nil {
			return false, fmt.Errorf("encode the answer: %w", err)
		}
		a.record.Answer = string(body)
	}
	counted := a.record.ReservedOn
	if pending > 0 && !counted.IsZero() {
		a.record.ReservedOn, a.record.Reservation = time.Time{}, ""
	}
	a.record.Lease = time.Time{}
	if err := a.writer.writeLast(ctx, a.current()); err != nil {
		return false, err
	}
	if pending == 0 || counted.IsZero() {
		return true, nil
	}
	// The refund comes after the write: while the record says that these recipients are counted, another request
	// would send to them without counting them.
	return true, a.key.Refund(ctx, a.table, counted, pending)
}
