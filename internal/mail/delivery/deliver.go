package delivery

import (
	"context"
	"time"

	"frontdesk/internal/api"
)

// groupsAtOnce is the number of groups of one mail for which SES is asked side by side. SES allows an account a number
// of recipients a second, and throttles what is over it; that is asked for again after a pause.
const groupsAtOnce = 4

const (
	// sendWithin is the time from a request's start after which SES is not asked any more: the function might end
	// before SES's answer, and nobody would know what became of the mail.
	sendWithin = 20 * time.Second
	// callWithin is the time before the function's end that is kept for SES's last answer, and for the pause before
	// SES is asked a last time.
	callWithin = 2 * time.Second
	// releaseWithin is the time that is kept for the last write of an attempt, after SES's answers: enough for a write
	// that is lost and a second one.
	releaseWithin = 3 * time.Second
)

// Deliver asks SES to send a message to every pending group of a claimed mail. What SES says is for [Attempt.Outcome].
// The error is one of ours that kept every group of the mail from being sent; [Attempt.Release] returns one that kept
// only some of them.
func (a *Attempt) Deliver(ctx context.Context, message []byte) error {
	fault := a.deliver(ctx, message)
	if _, left := a.pending(); fault != nil && left == recipientsOf(a.groups) {
		return fault // nobody was sent anything, so that the error tells all
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
			id, why := a.ses.send(ctx, last, a.groups[i], message)
			a.end(i, id, why)
			return nil
		})
	}
	return calls.Wait()
}
