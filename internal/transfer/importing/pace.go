package importing

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
)

// pace spaces writes evenly in time.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func newPace(perSecond int) *pace { return &pace{every: time.Second / time.Duration(perSecond)} }

// wait returns when the next record may be written. It gives each caller its own time, so lanes do not write in bursts.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	at := p.next
	if now := time.Now(); at.Before(now) {
		at = now
	}
	p.next = at.Add(p.every)
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

// Lanes run side by side; more would only meet at the same items and partitions.
const (
	lanes = 8
	chunk = 50 // records of a lane that are in memory at a time, and that one batch looks up
)

// inLanes calls do with the numbers below n, in chunks. Numbers of the same lane come one after the other, and
// different lanes run side by side. Writes that meet at one item should share a lane, because otherwise they
// would conflict.
func inLanes(ctx context.Context, n int, lane func(i int) id.ID, do func(ctx context.Context, some []int) error) error {
	of := make([][]int, lanes)
	for i := range n {
		l := lane(i) % lanes
		of[l] = append(of[l], i)
	}
	group, ctx := api.NewGroupContext(ctx)
	for _, all := range of {
		group.Go(func() error {
			for len(all) > 0 {
				some := all[:min(chunk, len(all))]
				all = all[len(some):]
				if err := do(ctx, some); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
