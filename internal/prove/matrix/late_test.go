package matrix

import (
	"slices"
	"testing"

	"frontdesk/internal/prove/fixture"
)

// aWriteThatArrivesLate: the first attempt at each write of a request gets no answer. It arrives when the request
// has been answered by the second one, before or after the other late ones, and changes nothing. The tests of the
// features have what comes in between.
func aWriteThatArrivesLate(t testing.TB, s *fixture.Stack) {
	for least, arrive := range map[int]func(*fixture.FirstAttempts, testing.TB){
		1: (*fixture.FirstAttempts).Arrive, 2: (*fixture.FirstAttempts).ArriveLastFirst,
	} {
		writing := slices.DeleteFunc(paths(t, s), func(r fixture.Request) bool {
			writes := slices.DeleteFunc(slices.Clone(calls(t, s, r)), func(c call) bool { return !c.writes() })
			return len(writes) < least
		})
		each(writing, func(r fixture.Request) {
			c := s.NewClient(t)
			sent := c.Prepared(r)
			var first fixture.FirstAttempts
			a := s.Send(t, r, sent, first.Delay(t))
			arrive(&first, t)
			if err := sent.Done(a); err != nil || a.Status != r.Good() {
				t.Errorf("%s: answer %d %.300s: %v", r, a.Status, a.Raw, err)
			}
		})
	}
}
