package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// groupsAtOnce is the number of groups of one mail for which SES is asked side by side. SES allows an account
// a number of recipients a second; what is over it is throttled, and asked for again after a pause.
const groupsAtOnce = 4

const (
	// sendWithin is the time from a request's start by which SES must have been asked. What comes later is
	// not sent: the function might end before SES's answer, and nobody would know.
	sendWithin = 20 * time.Second
	// callWithin is the time that is kept for SES's answer, and for the pause before it is asked a last time: of a
	// call that is cut off by the end of the function nobody knows what came of it.
	callWithin = 2 * time.Second
	// releaseWithin is the time that is kept for the last write of an attempt, after SES's answers: for a write that
	// is lost, and another one.
	releaseWithin = 3 * time.Second
)

// Deliver asks SES to send a message to every pending group of a claimed mail. The error is a fault of ours that kept
// all of them from being sent. Where it kept some, [Attempt.Outcome] tells, and [Attempt.Release] has the fault.
func (a *Attempt) Deliver(ctx context.Context, message []byte) error {
	fault := a.deliver(ctx, message)
	if _, left := a.pending(); fault != nil && left == recipientsOf(a.groups) {
		return fault // it hides nothing: nobody was sent anything
	}
	a.fault = fault
	return nil
}

func (a *Attempt) deliver(ctx context.Context, message []byte) error {
	if deadline, ok := ctx.Deadline(); ok && (a.recorded() || !a.record.ReservedOn.IsZero()) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-releaseWithin))
		defer cancel()
	}
	last := a.start.Add(sendWithin)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-callWithin).Before(last) {
		last = deadline.Add(-callWithin)
	}
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	pending, _ := a.pending()
	for _, i := range pending {
		calls.Go(func() error {
			if time.Now().After(last) {
				a.end(i, "", errLate)
				return nil
			}
			if err := a.begin(ctx, i); err != nil {
				a.end(i, "", errInternal)
				return err
			}
			id, why := a.made.SES.send(ctx, last, a.groups[i], message)
			a.end(i, id, why)
			return nil
		})
	}
	return calls.Wait()
}

// Outcome says what became of a mail, given the error that kept it from being delivered, nil for none: SES's ids, one
// for each group that was sent, and nil if that is all of them. Else the error is the given one or, once SES was asked
// for some, a [rejection.Error] that says how many recipients the mail has reached, and what of the others.
func (a *Attempt) Outcome(err error) (ids []string, _ error) {
	if rejected, ok := errors.AsType[*rejection.Error](err); ok && a.claimed && a.resumed() {
		a.failPending(&failure{reason: rejected.Reason, code: rejected.Code})
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return a.outcome()
}

func (a *Attempt) outcome() (ids []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var (
		reached         int
		unsent, unknown unreached
	)
	for i, group := range a.groups {
		switch g := a.record.Groups[groupName(i)]; {
		case g.State == groupSent:
			ids = append(ids, g.ID)
			reached += group.recipients()
		case g.State == groupBegun:
			unknown.add(group, a.failures[i], errDied)
		default:
			unsent.add(group, a.failures[i], errInternal)
		}
	}
	switch {
	case unsent.recipients == 0 && unknown.recipients == 0:
		return ids, nil
	case reached == 0 && unknown.recipients == 0:
		return nil, unsent.why.rejection()
	case reached == 0 && unsent.recipients == 0:
		return nil, unknown.why.rejection()
	}
	partly := &rejection.Error{
		Reason: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(a.groups)), Code: "partly",
	}
	if unsent.recipients > 0 {
		partly.Reason += fmt.Sprintf("; it was not sent to %d: %s", unsent.recipients, unsent.why.reason)
	}
	if unknown.recipients > 0 {
		partly.Reason += fmt.Sprintf("; it may or may not have been sent to %d: %s", unknown.recipients, unknown.why.reason)
	}
	return ids, partly
}

// unreached is the recipients that a mail did not reach, or may not have, and why the first of them.
type unreached struct {
	recipients int
	why        *failure
}

func (u *unreached) add(group Envelope, why, otherwise *failure) {
	u.recipients += group.recipients()
	if why == nil {
		why = otherwise
	}
	if u.why == nil {
		u.why = why
	}
}

var (
	// errDied is a group that was begun by a request whose process ended.
	errDied = &failure{unknown: true, reason: "the request that sent it ended before SES had answered", code: "died"}
	// errInternal is a group that a fault of ours kept from being begun.
	errInternal = &failure{reason: "an internal error", code: "internal"}
	// errLate is a group for which the time was over before SES was asked.
	errLate = &failure{reason: fmt.Sprintf("SES could not be asked within %s", sendWithin), code: "late"}
)
