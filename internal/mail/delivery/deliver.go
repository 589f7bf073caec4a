package delivery

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// groupsAtOnce is the number of groups of one mail for which SES is asked side by side. SES allows an account a number
// of recipients a second, and throttles what is over it; that is asked for again after a pause.
const groupsAtOnce = 4

const (
	// sendWithin is the time from a request's start after which SES is not asked any more: the function might end
	// before SES's answer, and nobody would know what became of the mail.
	sendWithin = 20 * time.Second
	// callWithin is the time before the function's end that is kept for SES's last answer.
	callWithin = 2 * time.Second
	// releaseWithin is the time that is kept for the last write of an attempt, after SES's answers: enough for a write
	// that is lost and a second one.
	releaseWithin = 3 * time.Second
	// settleWithin is what is kept of that to look whether a write is done of which every answer was lost.
	settleWithin = time.Second
)

// Messages gives the message for a group, by its index: one for all, or for each recipient one of his own. It may be
// called concurrently. An error that is a [rejection.Error] keeps the message from that group alone.
type Messages func(group int) (Message, error)

// Deliver asks SES to send its message to every pending group of a mail. It claims the mail unless [Attempt.Claim] has:
// in the write that begins the first groups, or, where each message is still to be written, by itself. What SES says is
// for [Attempt.Outcome]. The error is one of Claim, or one of ours that kept every group of the mail from being sent;
// [Attempt.Release] returns one that kept only some of them.
func (a *Attempt) Deliver(ctx context.Context, messages Messages) error {
	ctx, cancel := a.beforeRelease(ctx)
	defer cancel()
	pending, _ := a.pending()
	first := pending[:min(len(pending), groupsAtOnce)]
	if a.separate {
		first = nil
	}
	var fault error
	if !a.writer.claimed {
		if err := a.claim(ctx, first); err != nil {
			return err
		}
	} else if len(first) > 0 {
		fault = a.beginMore(ctx, first)
	}
	if fault == nil {
		fault = a.send(ctx, pending, len(first), messages)
	}
	if _, left := a.pending(); fault != nil && left == recipientsOf(a.groups) {
		return fault // nobody was sent anything, so that the error tells all
	}
	a.fault = fault
	return nil
}

// send asks SES for the pending groups, of which the first ones are begun.
func (a *Attempt) send(ctx context.Context, pending []int, begun int, messages Messages) error {
	last := a.start.Add(sendWithin)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-callWithin).Before(last) {
		last = deadline.Add(-callWithin)
	}
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	for n, i := range pending {
		calls.Go(func() error {
			if time.Now().After(last) {
				a.end(i, "", errLate)
				return nil
			}
			message, err := messages(i)
			if rejected, ok := errors.AsType[*rejection.Error](err); ok {
				a.end(i, "", unasked(rejected))
				return nil
			}
			if err == nil && n >= begun {
				err = a.beginNext(ctx, i)
			}
			if err != nil {
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

// beforeRelease is a context that ends while there is time for the last write.
func (a *Attempt) beforeRelease(ctx context.Context) (context.Context, context.CancelFunc) {
	if !a.recorded() && a.Key.Daily == 0 {
		return ctx, func() {}
	}
	return keep(ctx, releaseWithin)
}

// keep ends a context that much before its deadline; where less than twice as much is left, half of it is kept.
func keep(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return api.EndBefore(ctx, min(within, time.Until(deadline)/2))
}
