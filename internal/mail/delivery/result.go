package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/api"
)

// Result is what an attempt has come to, which is still to be written down.
type Result struct {
	mail  *mail
	cause error // kept the mail from being delivered; nil for none
	fault error // is one of ours, and kept some groups from being sent
}

// Release ends the attempt: it writes down what became of the mail, and gives the outcome. If SES was asked for every
// group, the body of the answer is written, too, and is final. Else the next attempt may go on at once with the groups
// that are left, and their reservation on the quota is given back. The write is repeated until the context ends.
//
// Where it fails, the outcome is what later attempts will say, or an error of kind [api.Unavailable] where nobody knows
// what they will say.
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

// outcome is that of the attempt, as far as is known before it is written down.
func (r *Result) outcome() Outcome {
	if r.cause != nil {
		return Outcome{Err: r.cause}
	}
	return r.mail.outcome()
}

// errUnsettled is for a request that does not know what its record says: the first answer that is final has to be the
// one that later requests are told.
var errUnsettled = api.Errorf(api.Unavailable,
	"Not available at the moment, please try again with the same Idempotency-Key")

// unwritten is the outcome where the last write has failed: no more is known than what is stored, which is all that
// later attempts will know.
func (r *Result) unwritten(err error) Outcome {
	otherDecides := errors.Is(err, errInUse)
	if r.mail.writer.unanswered || otherDecides {
		return Outcome{Err: errUnsettled}
	}
	if r.mail.progress.recall(r.mail.writer.stored) {
		return r.mail.outcome() // whatever the cause was: the record says that SES was asked
	}
	return r.outcome()
}

// outcome is that of a mail for which SES was asked.
func (m *mail) outcome() Outcome {
	ids, err := m.progress.outcome()
	return Outcome{
		IDs: ids, Separate: m.progress.separate, LeftOut: m.progress.leftOut(), RedirectedTo: m.progress.redirectedTo(),
		Err: err,
	}
}

// release writes down how far the mail has come, with its answer if that is final, and gives back what is left of the
// quota. Of a mail that could not be delivered the next attempt decides anew who is left out. It reports whether the
// record says so; where there is none to write, it does.
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
	// Only now: where the record still counts them, nobody may give them back.
	return true, m.key.Refund(ctx, m.table, counted, left)
}
