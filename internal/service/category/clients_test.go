package category_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestManyClientsAtOnce lets 32 agents create, move, reorder and delete in one portal at the same time. The database is
// as slow and as contended as DynamoDB, and reads that meet a transaction see its items one after another. No request
// fails: each has time to try again.
func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, contended)
		l := newLibrary(t, stack, stack.NewTenant(t), 100, positions["shuffled"])
		const clients = 32
		agents := make([]*testPortal, clients)
		for i := range agents {
			agents[i] = &testPortal{stack, l.portal, stack.NewMember(t, l.portal)}
		}
		taken := fixture.Together(clients, func(i int) (taken []time.Duration) {
			p, random := agents[i], rand.New(rand.NewPCG(1, uint64(i)))
			any := func() int64 { return int64(l.categories[random.IntN(len(l.categories))].ID) }
			took := func(send func() answer) answer {
				began := time.Now()
				r := send()
				taken = append(taken, time.Since(began))
				// A category that is to move below itself is refused.
				if r.Status != http.StatusOK && r.Status != http.StatusUnprocessableEntity {
					t.Errorf("%d %s", r.Status, r.Raw)
				}
				return r
			}
			fields := object{"name": "n", "slug": fmt.Sprint("of-", i), "position": i}
			if i%2 == 0 {
				fields["parent_category_id"] = any()
			}
			made := idOf(took(func() answer { return p.post(t, fields) }).Body["payload"])
			took(func() answer { return p.update(t, made, object{"parent_category_id": any()}) })
			took(func() answer { return p.update(t, any(), object{"parent_category_id": any()}) })
			var named []int64
			for len(named) < 5 {
				named = append(named, int64(l.categories[(i+7*len(named))%len(l.categories)].ID))
			}
			took(func() answer { return p.reorder(t, positionsOf(named, i)) })
			took(func() answer { return p.delete(t, made) })
			return taken
		})
		all := slices.Concat(taken...)
		slices.Sort(all)
		t.Logf("%d requests: median %v, slowest %v", len(all), all[len(all)/2], all[len(all)-1])
		expect.Equal(t, len(all), 5*clients, "requests")
		stack.MustBeWhole(t)
	})
}

// contended makes the database as slow and as contended as DynamoDB. Reads that meet a transaction see its items one
// after another.
func contended(o *local.Options) {
	o.Contention = contention.AWS()
	o.Contention.ReadCommitted = 1
}
