package category_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
)

// TestRoundTrips has what no row of fixture.Requests has. It holds the calls of each round trip until all of them are
// under way, which proves that they run side by side.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		parent := p.create(t, "parent", object{"position": 0}) // the first of the list
		top := p.create(t, "top", nil)
		middle := p.create(t, "middle", object{"parent_category_id": top})
		x := p.create(t, "x", object{"parent_category_id": parent, "related_category_ids": array{parent}})
		p.create(t, "below", object{"parent_category_id": x})
		lone := p.create(t, "lone", object{"parent_category_id": top}) // nothing links to it
		gone := p.create(t, "gone", object{"parent_category_id": parent})
		es := p.create(t, "es", object{"locale": "es", "associated_category_id": parent})
		p.create(t, "of-es", object{"locale": "fr", "associated_category_id": es})
		apart := int64(p.NewCategory(t, p.portal, tree.Category{Name: "apart"}))
		linked := object{
			"name": "n", "slug": "c2",
			"parent_category_id": x, "associated_category_id": parent, "related_category_ids": array{x, parent},
		}
		relinked := object{
			"parent_category_id": nil, "associated_category_id": top, "related_category_ids": array{top},
		}
		type round = []string // calls of one round trip, side by side
		const batch, query, tx = "BatchGetItem", "Query", "TransactWriteItems"
		for name, c := range map[string]struct {
			do   func() answer
			want []round
		}{
			"list of a locale that there is not": {
				func() answer { return p.send(t, p.to("listCategories").Query("?locale=xx"), nil) },
				[]round{{batch}},
			},
			"show one without links": {
				func() answer { return p.send(t, p.to("getCategory", apart), nil) },
				[]round{{batch}, {query}},
			},
			"reorder": {
				func() answer { return p.reorder(t, object{fmt.Sprint(parent): -1, fmt.Sprint(lone): 2}) },
				[]round{{batch}, {tx, query, batch}},
			},
			"reorder to the same positions": {
				func() answer { return p.reorder(t, object{fmt.Sprint(es): nil}) },
				[]round{{batch}, {query, batch}},
			},
			"update": {
				func() answer { return p.update(t, lone, object{"name": "m"}) },
				[]round{{batch}, {tx, query, batch}},
			},
			"update without links": {
				func() answer { return p.update(t, top, object{"name": "m"}) },
				[]round{{batch}, {tx, query}},
			},
			"update of all links": {
				func() answer { return p.update(t, x, relinked) },
				[]round{{batch}, {tx, query}},
			},
			"update to a new parent": {
				func() answer { return p.update(t, x, object{"parent_category_id": middle}) },
				[]round{{batch}, {batch}, {tx, query, batch}},
			},
			// The line above the new parent is read one by one, and then compared at one moment.
			"update to a parent below it": {
				func() answer { return p.update(t, top, object{"parent_category_id": lone}) },
				[]round{{batch}, {tx}},
			},
			// Nothing is written, but the answer shows the category with its links.
			"update of nothing": {
				func() answer { return p.update(t, lone, object{}) },
				[]round{{batch}, {query, batch}},
			},
			"delete": {
				func() answer { return p.delete(t, gone) },
				[]round{{batch}, {tx}},
			},
			"an invented token": {
				func() answer { return p.sendAs(t, invented, p.to("listCategories"), nil) },
				[]round{{batch}},
			},
			"a malformed query": {
				func() answer { return p.send(t, p.to("listCategories").Query("?limit=x"), nil) },
				[]round{{batch}},
			},
			"an invented token, for an update": {
				func() answer { return p.sendAs(t, invented, p.to("updateCategory", top), linked) },
				[]round{{batch}},
			},
			"an invented token, for a deletion": {
				func() answer { return p.sendAs(t, invented, p.to("deleteCategory", top), nil) },
				[]round{{batch}},
			},
			"a malformed token": {
				func() answer { return p.sendAs(t, "x", p.to("listCategories"), nil) },
				nil,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				want := slices.Concat(c.want...)
				expected := strings.Join(want, " ")
				barrier := newBarrier(c.want)
				p.AWSProxy().Inject(barrier.wait)
				r := c.do()
				p.AWSProxy().Inject(nil)
				// Calls of one round trip come in any order, so the lists are compared sorted.
				got := p.Actions(r)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("calls %q, want %s; answered %d %v", got, expected, r.Status, r.Body)
				}
				if barrier.timedOut {
					t.Errorf("calls that should go side by side came one after the other")
				}
			})
		}
	})
}

// invented is a well-formed token that nobody has. It costs one round trip, whatever else the request asks for.
var invented = "fda_1_" + strings.Repeat("0", 64)

// barrier holds the calls of each round until all of them have arrived, or for five seconds.
type barrier struct {
	mu       sync.Mutex
	rounds   [][]string
	waiting  int
	all      chan struct{}
	timedOut bool
}

// newBarrier returns a barrier for these rounds, in their order.
func newBarrier(rounds [][]string) *barrier {
	return &barrier{rounds: rounds, all: make(chan struct{})}
}

// wait holds a call until all calls of its round have arrived.
func (b *barrier) wait(awsproxy.Call) *awsproxy.Fault {
	b.mu.Lock()
	if len(b.rounds) == 0 {
		b.mu.Unlock()
		return nil
	}
	b.waiting++
	all := b.all
	if b.waiting == len(b.rounds[0]) {
		close(all)
		b.rounds, b.waiting, b.all = b.rounds[1:], 0, make(chan struct{})
	}
	b.mu.Unlock()
	select {
	case <-all:
	// The other calls of the round have not come: this call was not beside them.
	case <-time.After(5 * time.Second):
		b.mu.Lock()
		b.timedOut = true
		b.mu.Unlock()
	}
	return nil
}
