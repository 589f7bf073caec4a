package matrix

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/prove/fixture"
)

// whatRequestsTake: each request makes the round trips of its row, and takes the units of its row.
func whatRequestsTake(t testing.TB, s *fixture.Stack) {
	each(fixture.Requests, func(r fixture.Request) {
		if r.Meets != nil {
			return // its calls are repeated
		}
		c := s.NewClient(t)
		sent := c.Prepared(r)
		took := new(units)
		a := s.Send(t, r, sent, took.of)
		err := sent.Done(a)
		if a.Status != r.Good() {
			err = errors.Join(err, fmt.Errorf("answer %d %.300s", a.Status, a.Raw))
		}
		if rounds := s.Rounds(a); !slices.Equal(rounds, r.Rounds) {
			err = errors.Join(err, fmt.Errorf("round trips %q, want %q", rounds, r.Rounds))
		}
		if took.reads != r.Reads || took.writes != r.Writes {
			err = errors.Join(err, fmt.Errorf("%v read units and %v write units, want %v and %v",
				took.reads, took.writes, r.Reads, r.Writes))
		}
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
	})
}

// units are those of a request's calls.
type units struct {
	mu            sync.Mutex
	reads, writes float64
}

// of measures a call.
func (u *units) of(call awsproxy.Call) *awsproxy.Fault {
	if call.Service != "dynamodb" {
		return nil
	}
	return awsproxy.Measured(func(units float64) {
		u.mu.Lock()
		defer u.mu.Unlock()
		if dynamodb.Reads(call.Action) {
			u.reads += units
		} else {
			u.writes += units
		}
	})
}
