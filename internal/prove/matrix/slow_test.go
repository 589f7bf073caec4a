package matrix

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/fixture"
)

// aSlowTransaction: DynamoDB takes seconds for the first transaction of a request. The functions do not wait so
// long, and send the transaction again. The answer is true, or it is 503 and then true when the client repeats the
// request.
func aSlowTransaction(t testing.TB, s *fixture.Stack) {
	type slow struct {
		row fixture.Request
		by  time.Duration
	}
	took := []time.Duration{4500 * time.Millisecond, 6 * time.Second} // in turn
	var all []slow
	for _, r := range ways(t, s) {
		isTransaction := func(c call) bool { return c.Action == "TransactWriteItems" }
		if slices.ContainsFunc(calls(t, s, r), isTransaction) {
			all = append(all, slow{r, took[len(all)%len(took)]})
		}
	}
	each(all, func(slow slow) {
		c := s.NewClient(t)
		sent := c.Prepared(slow.row)
		var slowed atomic.Bool
		answers := []fixture.Answer{s.Send(t, slow.row, sent, func(c awsproxy.Call) *awsproxy.Fault {
			if c.Action != "TransactWriteItems" || slowed.Swap(true) {
				return nil
			}
			return awsproxy.Slow(slow.by, false)
		})}
		if answers[0].Status == http.StatusServiceUnavailable {
			answers = append(answers, retry(t, s, slow.row, sent))
		}
		if err := sent.Done(answers...); err != nil {
			t.Errorf("%s, slow by %s: %v", slow.row, slow.by, err)
		}
	})
}
