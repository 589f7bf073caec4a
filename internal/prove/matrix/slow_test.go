package matrix

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/fixture"
)

// aSlowTransaction: DynamoDB takes seconds for the first transaction of a request. The functions do not wait so
// long, and send the transaction again, with its token: DynamoDB says that it is in progress, until it is done. The
// answer is the good one, and true.
func aSlowTransaction(t testing.TB, s *fixture.Stack) {
	type slow struct {
		row fixture.Request
		by  time.Duration
	}
	took := []time.Duration{4500 * time.Millisecond, 6 * time.Second} // in turn
	var all []slow
	for _, r := range paths(t, s) {
		isTransaction := func(c call) bool { return c.Action == "TransactWriteItems" }
		if slices.ContainsFunc(calls(t, s, r), isTransaction) {
			all = append(all, slow{r, took[len(all)%len(took)]})
		}
	}
	each(all, func(slow slow) {
		c := s.NewClient(t)
		sent := c.Prepared(slow.row)
		var slowed atomic.Bool
		a := s.Send(t, slow.row, sent, func(c awsproxy.Call) *awsproxy.Fault {
			if c.Action != "TransactWriteItems" || slowed.Swap(true) {
				return nil
			}
			return awsproxy.Slow(slow.by, false)
		})
		if err := sent.Done(a); err != nil || a.Status != slow.row.Good() {
			t.Errorf("%s, slow by %s: answer %d %.300s: %v", slow.row, slow.by, a.Status, a.Raw, err)
		}
	})
}
