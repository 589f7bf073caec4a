package delivery

import (
	"context"
	"time"

	"frontdesk/internal/base/api"
)

const (
	// sendWithin is how long after its start a request may still ask SES. Later the function might end before SES
	// answers, and nobody would know whether the mail was sent.
	sendWithin = 20 * time.Second
	// callWithin is the time before the function's end that stays reserved for SES's last answer.
	callWithin = 2 * time.Second
	// releaseWithin is the time reserved for the last write of an attempt, after SES's answers: enough to lose one
	// write and to repeat it.
	releaseWithin = 3 * time.Second
	// settleWithin is the part of releaseWithin reserved to read the record back, if the last write got no answer.
	settleWithin = time.Second
)

// lastTry returns the time after which a request that started at start no longer asks SES.
func lastTry(ctx context.Context, start time.Time) time.Time {
	last := start.Add(sendWithin)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-callWithin).Before(last) {
		return deadline.Add(-callWithin)
	}
	return last
}

// beforeRelease returns a context that ends early enough for the last write. With neither a record nor a quota there
// is no such write, and ctx stays as it is.
func (a *attempt) beforeRelease(ctx context.Context) (context.Context, context.CancelFunc) {
	if !a.record.exists() && a.key.Daily == 0 {
		return ctx, func() {}
	}
	return leaveTime(ctx, releaseWithin)
}

// leaveTime returns a context that ends earlier than ctx by the given time. If less than twice that time is left, it
// ends earlier by half of what is left, so that the work before it gets the other half.
func leaveTime(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return api.EndBefore(ctx, min(within, time.Until(deadline)/2))
}
