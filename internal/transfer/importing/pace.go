package importing

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
)

// pace spaces writes evenly.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func newPace(perSecond int) *pace { return &pace{every: time.Second / time.Duration(perSecond)} }

// wait returns when the next record may be written.
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

const (
	lanes = 8
	chunk = 50 // records of a lane, which are in memory at a time and are read from the table together
)

// inLanes calls do for the numbers below n, some at a time. Those of one lane come one after the other, lanes side by
// side: writes that meet at one item are best in one lane.
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
