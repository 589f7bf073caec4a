package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/api"
)

// Result is what an attempt has achieved. It is not recorded yet.
type Result struct {
	mail  *mail
	cause error // the error that stopped the delivery, or nil
	fault error // an internal error that kept some groups from being sent, or nil
}

// Release ends the attempt: it records the result of the mail, and returns the outcome. If SES was asked for every
// group, Release also stores the body of the answer, which is final from then on. Otherwise the next attempt may at
// once continue with the remaining groups, and the quota gets their reservation back. Release repeats the write until
// the context ends.
//
// If the write fails, the outcome is what later attempts will say. If nobody knows what they will say, its error is
// of kind [api.Unavailable].
func (r *Result) Release(ctx context.Context, answer func(Outcome) any) Outcome {
	o := r.outcome()
	taken := slices.DeleteFunc(slices.Clone(o.IDs), func(id string) bool { return id == "" })
	written, err := r.mail.release(ctx, answer(o), r.cause != nil)
	if !written {
		o = r.unwritten(err)
	}
	if r.cause == nil || !written {
		o.LeftOutNow = r.mail.leftOut
	}
	o.Taken, o.Fault = taken, errors.Join(r.fault, err)
	return o
}

// outcome returns the outcome as the attempt knows it, before it is recorded.
func (r *Result) outcome() Outcome {
	if r.cause != nil {
		return Outcome{Err: r.cause}
	}
	return r.mail.outcome()
}

// errUnsettled is for a request that does not know what its record says. It must not give an answer of its own: later
// requests repeat the first final answer, which may be a different one.
var errUnsettled = api.Errorf(api.Unavailable,
	"Not available at the moment, please try again with the same Idempotency-Key")

// unwritten returns the outcome after the last write has failed. It forgets everything that is not stored, because
// later attempts will know only what is stored.
func (r *Result) unwritten(err error) Outcome {
	otherDecides := errors.Is(err, errInUse)
	if r.mail.writer.unanswered || otherDecides {
		return Outcome{Err: errUnsettled}
	}
	if r.mail.progress.recall(r.mail.writer.stored) {
		return r.mail.outcome() // whatever the cause was, the record says that SES was asked
	}
	return r.outcome()
}

// outcome returns the outcome of a mail for which SES was asked.
func (m *mail) outcome() Outcome {
	ids, err := m.progress.outcome()
	return Outcome{
		IDs: ids, Separate: m.progress.separate, LeftOut: m.progress.leftOut(), RedirectedTo: m.progress.redirectedTo(),
		Err: err,
	}
}

// release records the state of the mail, and its answer if that is final. It gives the unused part of the quota back.
// If the mail could not be delivered, the next attempt decides anew who is left out. release reports whether the
// record has this state; it also reports true if there is no record to write.
func (m *mail) release(ctx context.Context, answer any, undelivered bool) (written bool, err error) {
	if !m.writer.claimed && !m.writer.unanswered {
		return true, nil
	}
	_, left := m.progress.pending()
	if undelivered {
		m.progress.forget(m.leftOut)
	}
	if left == 0 && m.writer.claimed && m.record.kept() {
		body, err := api.Marshal(answer)
		if err != nil {
			return false, fmt.Errorf("encode the answer: %w", err)
		}
		m.record.Answer = string(body)
	}
	counted := m.record.ReservedOn
	if left > 0 && !counted.IsZero() {
		m.record.ReservedOn, m.record.Reservation = time.Time{}, ""
	}
	m.record.Lease = time.Time{}
	if err := m.writer.writeLast(ctx, m.current()); err != nil {
		return false, err
	}
	if left == 0 || counted.IsZero() {
		return true, nil
	}
	// The refund comes after the write: while the record says that these recipients are counted, another request
	// would send to them without counting them.
	return true, m.key.Refund(ctx, m.table, counted, left)
}
