package delivery

import (
	"context"
	"time"

	"frontdesk/internal/api"
)

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

// lastTry is the time after which SES is not asked any more for a request that started then.
func lastTry(ctx context.Context, start time.Time) time.Time {
	last := start.Add(sendWithin)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-callWithin).Before(last) {
		return deadline.Add(-callWithin)
	}
	return last
}

// beforeRelease is a context that ends while there is time for the last write.
func (m *mail) beforeRelease(ctx context.Context) (context.Context, context.CancelFunc) {
	if !m.record.kept() && m.key.Daily == 0 {
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
