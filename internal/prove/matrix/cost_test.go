package matrix

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/prove/fixture"
)

// whatRequestsTake: each request makes the round trips of its row, and takes the units of its row. Units depend on
// the table and round trips on the code, so none of them depends on the machine, unless it is so busy that the SDK
// sends a call again.
func whatRequestsTake(t *testing.T, s *fixture.Stack) {
	each(fixture.Requests, func(r fixture.Request) {
		if r.Meets != nil {
			return // its calls are repeated
		}
		err := patiently(func() error {
			c := s.NewClient(t)
			sent := c.Prepared(r)
			took := &cost{rounds: r.Rounds}
			a := s.Send(t, r, sent, took.of)
			err := sent.Done(a)
			if a.Status != r.Good() {
				err = errors.Join(err, fmt.Errorf("answer %d %.300s", a.Status, a.Raw))
			}
			if !slices.Equal(took.seen, r.Rounds) {
				err = errors.Join(err, fmt.Errorf("round trips %q, want %q", took.seen, r.Rounds))
			}
			if took.reads != r.Reads || took.writes != r.Writes {
				err = errors.Join(err, fmt.Errorf("%v read units and %v write units, want %v and %v",
					took.reads, took.writes, r.Reads, r.Writes))
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
	})
}

// cost is what a request takes. Calls of a round trip are held until all of them have come, or for five seconds: that
// proves that none of them waits for another.
type cost struct {
	rounds []string // those of the row

	mu            sync.Mutex
	seen          []string
	waiting       []string // calls of a round trip that are held
	all           chan struct{}
	reads, writes float64
}

// of holds a call, and measures it.
func (c *cost) of(call awsproxy.Call) *awsproxy.Fault {
	all := c.add(call.Action)
	select {
	case <-all:
	case <-time.After(5 * time.Second): // the others have not come, so this call is a round trip without them
		c.end(all)
	}
	if call.Service != "dynamodb" {
		return nil
	}
	return awsproxy.Measured(func(units float64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if dynamodb.Reads(call.Action) {
			c.reads += units
		} else {
			c.writes += units
		}
	})
}

// add adds a call to the round trip under way, and returns what is closed when that is complete.
func (c *cost) add(action string) (all chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.all = make(chan struct{})
	}
	all, c.waiting = c.all, append(c.waiting, action)
	want := 1 // of a round trip that the row does not have
	if n := len(c.seen); n < len(c.rounds) {
		want = len(strings.Fields(c.rounds[n]))
	}
	if len(c.waiting) == want {
		c.complete()
	}
	return all
}

// end ends a round trip, unless it is complete.
func (c *cost) end(all chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) > 0 && c.all == all {
		c.complete()
	}
}

// complete lets the calls that are held go on.
func (c *cost) complete() {
	slices.Sort(c.waiting)
	c.seen, c.waiting = append(c.seen, strings.Join(c.waiting, " ")), nil
	close(c.all)
}
