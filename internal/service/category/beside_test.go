package category_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestAWriteAndTheReadBesideIt lets a change fail that writes, and beside that reads what its answer shows.
func TestAWriteAndTheReadBesideIt(t *testing.T) {
	t.Parallel()
	denied := awsproxy.Refuse(http.StatusBadRequest, "AccessDeniedException", "denied")
	for name, c := range map[string]struct {
		meets  bool            // the first attempt at the write meets another change
		write  *awsproxy.Fault // of the first attempt
		read   *awsproxy.Fault // of the reads
		until  int64           // the attempt at the write before which reads fail; 0 for ever
		status int
	}{
		// Otherwise the read would go on until the end of the request's time, and the answer would be 409.
		"a write that fails ends the read, and is tried again": {
			meets: true, read: awsproxy.Throttled, until: 2, status: http.StatusOK,
		},
		"a read that is throttled until the end is 503": {
			meets: true, read: awsproxy.Throttled, status: http.StatusServiceUnavailable,
		},
		"a read that fails does not break off the write": {
			write: awsproxy.Throttled, read: denied, status: http.StatusInternalServerError,
		},
	} {
		for verb, change := range map[string]func(t testing.TB, p *testPortal, moved, parent int64) answer{
			"move": func(t testing.TB, p *testPortal, moved, parent int64) answer {
				return p.update(t, moved, object{"parent_category_id": parent})
			},
			"reorder": func(t testing.TB, p *testPortal, moved, _ int64) answer {
				return p.reorder(t, positionsOf([]int64{moved}, 7))
			},
		} {
			t.Run(verb+": "+name, func(t *testing.T) {
				t.Parallel()
				localtest.Simulate(t, func(t *testing.T) {
					p := start(t)
					moved, parent := p.create(t, "moved", nil), p.create(t, "parent", nil)
					var writes atomic.Int64
					p.AWSProxy().Inject(fixture.OfOneRequest(func(call awsproxy.Call) *awsproxy.Fault {
						switch {
						case call.Action == "TransactWriteItems":
							if writes.Add(1) > 1 {
								return nil
							}
							time.Sleep(100 * time.Millisecond) // the read is under way
							if c.meets {
								p.update(t, moved, object{"description": "Meanwhile"}).Is(t, http.StatusOK, nil)
							}
							return c.write
						case call.Action == "Query" && (c.until == 0 || writes.Load() < c.until):
							return c.read
						}
						return nil
					}))
					began := time.Now()
					change(t, p, moved, parent).Is(t, c.status, nil)
					p.AWSProxy().Inject(nil)
					if c.until > 0 {
						expect.AtMost(t, time.Since(began), 5*time.Second)
					}
					expect.Equal(t, writes.Load(), 2, "attempts at the write")
					shown := p.show(t, moved)
					written := idOf(shown["parent_category"]) == parent || shown["position"] == any(7.0)
					expect.Equal(t, written, true, "the change is written")
					expect.Equal(t, shown["description"] == any("Meanwhile"), c.meets, "so is the other one")
				})
			})
		}
	}
}
