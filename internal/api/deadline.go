package api

import (
	"context"
	"time"
)

// EndBefore ends a context that much before its deadline, if it has one: for what has to be done afterwards.
func EndBefore(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-d))
}
