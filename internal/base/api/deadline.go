package api

import (
	"context"
	"time"
)

// EndBefore returns a context that ends d before the deadline of ctx, so that the caller has time left for its own last
// steps. A context without a deadline stays as it is.
func EndBefore(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-d))
}
