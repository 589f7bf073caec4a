package delivery

import (
	"context"
	"time"

	"frontdesk/internal/api"
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
