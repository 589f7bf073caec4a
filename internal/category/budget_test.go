package category_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/local"
)

// TestRoundTrips counts the calls of each request, and proves of those that are said to go side by side that
// each is under way before the other is answered.
func TestRoundTrips(t *testing.T) {
	d := open(t)
	parent := d.named(t, "parent", nil)
	top := d.named(t, "top", nil)
	middle := d.named(t, "middle", object{"parent_category_id": top})
	x := d.named(t, "x", object{"parent_category_id": parent, "related_category_ids": array{parent}})
	var others array
	for i := range 22 {
		others = append(others, d.named(t, fmt.Sprintf("other-%d", i), nil))
	}
	full := func(children int) int64 { // one with every link that it may have, and so many that lead to it
		c := d.named(t, fmt.Sprintf("full-%d", children), object{"parent_category_id": others[20], "associated_category_id": others[21], "related_category_ids": others[:20]})
		for i := range children {
			d.named(t, fmt.Sprintf("leaf-%d-%d", c, i), object{"parent_category_id": c})
		}
		return c
	}
	with25, with26 := full(25), full(26)
	const batch, query, tx = "BatchGetItem", "Query", "TransactWriteItems"
	for name, c := range map[string]struct {
		do   func() reply
		want [][]string // rounds of calls that go side by side
	}{
		"list": {func() reply { return d.call(t, "GET", d.path, d.agent, nil) }, [][]string{{batch, query}}},
		"create": {func() reply {
			return d.call(t, "POST", d.path, d.agent, object{"category": object{"name": "n", "slug": "c1"}})
		}, [][]string{{batch}, {tx}}},
		"create with links": {func() reply {
			return d.call(t, "POST", d.path, d.agent, object{"category": object{"name": "n", "slug": "c2", "parent_category_id": x, "associated_category_id": parent, "related_category_ids": array{x, parent}}})
		}, [][]string{{batch}, {tx}}},
		"update":               {func() reply { return d.update(t, middle, object{"name": "m"}) }, [][]string{{batch, query}, {tx, batch}}},
		"update without links": {func() reply { return d.update(t, top, object{"name": "m"}) }, [][]string{{batch, query}, {tx}}},
		"update of all links": {func() reply {
			return d.update(t, x, object{"associated_category_id": top, "related_category_ids": array{top}, "parent_category_id": nil})
		}, [][]string{{batch, query}, {tx}}},
		"update to a new parent": {func() reply { return d.update(t, x, object{"parent_category_id": middle}) }, [][]string{{batch, query}, {batch}, {batch}, {tx, batch}}},
		"update of nothing":      {func() reply { return d.update(t, top, object{}) }, [][]string{{batch, query}}},
		"delete":                 {func() reply { return d.delete(t, d.named(t, "gone", object{"parent_category_id": parent})) }, [][]string{{batch, query}, {tx}}},
		"delete with 25 links":   {func() reply { return d.delete(t, with25) }, [][]string{{batch, query}, {tx}}},
		"delete with 26 links":   {func() reply { return d.delete(t, with26) }, [][]string{{batch, query}, {tx}, {tx}}},
		"an invented token":      {func() reply { return d.call(t, "GET", d.path, "fda_1_"+strings.Repeat("0", 64), nil) }, [][]string{{batch, query}}},
		"a malformed query":      {func() reply { return d.call(t, "GET", d.path+"?limit=x", d.agent, nil) }, [][]string{{batch, query}}},
		"a malformed token":      {func() reply { return d.call(t, "GET", d.path, "x", nil) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			expected := strings.Fields(fmt.Sprint(slices.Concat(c.want...)))
			together := newMeeting(c.want)
			if name == "delete" {
				together = nil // its request is not the first that the gate sees
			}
			d.stack.Gate().Inject(together.join)
			r := c.do()
			d.stack.Gate().Inject(nil)
			got := d.actions(r)
			slices.Sort(got)
			want := slices.Concat(c.want...)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("calls %q, want %q; answered %d %v", got, expected, r.HTTP, r.Body)
			}
			if together != nil && together.missed {
				t.Errorf("calls that should go side by side came one after the other")
			}
		})
	}
}

// meeting holds the calls of each round until all of them are there.
type meeting struct {
	mu     sync.Mutex
	rounds [][]string
	here   int
	all    chan struct{}
	missed bool
}

func newMeeting(rounds [][]string) *meeting {
	return &meeting{rounds: rounds, all: make(chan struct{})}
}

func (m *meeting) join(local.Call) *local.Fault {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	if len(m.rounds) == 0 {
		m.mu.Unlock()
		return nil
	}
	m.here++
	all := m.all
	if m.here == len(m.rounds[0]) {
		close(all)
		m.rounds, m.here, m.all = m.rounds[1:], 0, make(chan struct{})
	}
	m.mu.Unlock()
	select {
	case <-all:
	case <-time.After(5 * time.Second):
		m.mu.Lock()
		m.missed = true
		m.mu.Unlock()
	}
	return nil
}

// TestListOfAHundred: up to a hundred categories in one round trip; an invented token makes no
// second page be read.
func TestListOfAHundred(t *testing.T) {
	d := open(t)
	for i := range 100 {
		d.named(t, fmt.Sprintf("c%03d", i), nil)
	}
	r := d.call(t, "GET", d.path, d.agent, nil)
	if got := d.actions(r); len(got) != 2 || len(r.Body["payload"].(array)) != 100 {
		t.Errorf("%d categories by %q", len(r.Body["payload"].(array)), got)
	}
	for i := range 5 {
		d.named(t, fmt.Sprintf("d%03d", i), nil)
	}
	r = d.call(t, "GET", d.path, d.agent, nil)
	if got := d.actions(r); len(got) != 3 || len(r.Body["payload"].(array)) != 105 {
		t.Errorf("%d categories by %q", len(r.Body["payload"].(array)), got)
	}
	r = d.call(t, "GET", d.path, "fda_1_"+strings.Repeat("0", 64), nil)
	if got := d.actions(r); r.HTTP != 401 || len(got) > 2 { // the first page may not even have been asked for
		t.Errorf("an invented token: %d, %q", r.HTTP, got)
	}
	for _, c := range d.stack.Gate().Calls(r.RequestID) {
		if c.Action == "Query" && !strings.Contains(string(c.Body), `"Limit":101`) {
			t.Errorf("an invented token reads %s", c.Body)
		}
	}
}
