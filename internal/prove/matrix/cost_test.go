package matrix

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/prove/fixture"
)

// whatRequestsTake: each request makes the round trips of its row, and takes the units of its row.
func whatRequestsTake(t testing.TB, s *fixture.Stack) {
	each(fixture.Requests, func(r fixture.Request) {
		if r.Fault != nil {
			return // its calls are repeated
		}
		c := s.NewClient(t)
		sent := c.Prepared(r)
		took := new(fixture.Taken)
		a := s.Send(t, r, sent, took.Measure)
		err := sent.Done(a)
		if a.Status != r.Good() {
			err = errors.Join(err, fmt.Errorf("answer %d %.300s", a.Status, a.Raw))
		}
		if rounds := s.Rounds(a); !slices.Equal(rounds, r.Rounds) {
			err = errors.Join(err, fmt.Errorf("round trips %q, want %q", rounds, r.Rounds))
		}
		if took.Reads != r.Reads || took.Writes != r.Writes {
			err = errors.Join(err, fmt.Errorf("%v read units and %v write units, want %v and %v",
				took.Reads, took.Writes, r.Reads, r.Writes))
		}
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
	})
}
