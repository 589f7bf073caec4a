package category_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/localtest"
)

// attempt is a request whose calls fail, and how to know that what it asks for was done.
type attempt struct {
	do   func() answer
	done func(answer) bool // by the answer of a retry
}

// attempts make what a request needs, under names that end in a number of its own.
var attempts = map[string]func(t *testing.T, p *testPortal, serial int) attempt{
	"create": func(t *testing.T, p *testPortal, serial int) attempt {
		parent := p.create(t, fmt.Sprintf("p%d", serial), nil)
		fields := object{
			"name": "n", "slug": fmt.Sprintf("new-%d", serial),
			"parent_category_id": parent, "related_category_ids": array{parent},
		}
		return attempt{
			do: func() answer { return p.post(t, fields) },
			done: func(r answer) bool { // the retry may find that the first try has done it
				subs := idsOf(p.get(t, parent)["sub_category_ids"])
				return (r.Status == 200 || r.Status == 422) && len(subs) == 1
			},
		}
	},
	"update": func(t *testing.T, p *testPortal, serial int) attempt {
		a, b := p.create(t, fmt.Sprintf("a%d", serial), nil), p.create(t, fmt.Sprintf("b%d", serial), nil)
		x := p.create(t, fmt.Sprintf("x%d", serial), object{"parent_category_id": a, "associated_category_id": a})
		slug := fmt.Sprintf("y%d", serial)
		fields := object{"slug": slug, "parent_category_id": b, "related_category_ids": array{a, b}}
		return attempt{
			do: func() answer { return p.update(t, x, fields) },
			done: func(r answer) bool {
				c := p.get(t, x)
				return r.Status == 200 && c["slug"] == slug &&
					idOf(c["parent_category"]) == b && len(idsOf(c["related_categories"])) == 2
			},
		}
	},
	"delete": func(t *testing.T, p *testPortal, serial int) attempt {
		a := p.create(t, fmt.Sprintf("a%d", serial), nil)
		x := p.create(t, fmt.Sprintf("x%d", serial), object{"parent_category_id": a})
		for i := range 30 { // more than go with it in one transaction
			p.NewCategory(t, p.portal, changeset.Category{Name: fmt.Sprintf("c%d-%d", serial, i), Parent: id.ID(x)})
		}
		return attempt{
			do: func() answer { return p.delete(t, x) },
			done: func(r answer) bool {
				subs := idsOf(p.get(t, a)["sub_category_ids"])
				return (r.Status == 200 || r.Status == 404) && p.get(t, x) == nil && len(subs) == 0
			},
		}
	},
}

// TestEveryCallFails fails the Nth call of each operation to the table, before it was applied and after it was, for
// every N. The function's repetitions fail as well, so that the client sees the failure; the table must be whole,
// and the client's own retry end in the state that it asked for.
func TestEveryCallFails(t *testing.T) {
	for name, prepare := range attempts {
		for when, fault := range map[string]*gate.Fault{
			"before": gate.CutBefore, "after": gate.CutAfter, "500": gate.ServerError,
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				p := start(t, shortTimeout(t))
				for n := 1; ; n++ {
					attempt := prepare(t, p, n)
					failed := failFrom(p, n, fault)
					r := attempt.do()
					p.Gate().Inject(nil)
					if !failed() {
						if n < 3 {
							t.Errorf("only %d calls", n-1)
						}
						return // n is beyond the last call
					}
					if r.Status != 503 || r.Header.Get("Retry-After") == "" {
						t.Errorf("call %d failed for good, and the answer is %d %v", n, r.Status, r.Body)
					}
					p.MustBeWhole(t)
					if r := attempt.do(); !attempt.done(r) {
						t.Errorf("after the failure of call %d the retry ended with %d %v", n, r.Status, r.Body)
					}
					p.MustBeWhole(t)
				}
			})
		}
	}
}

// shortTimeout gives the functions 3 seconds, and their calls 2.
func shortTimeout(t *testing.T) func(*local.Options) {
	return func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 3") }
}

// failFrom fails the nth call to the table and every one after it, so that no retry helps. Failed says whether there
// was one.
func failFrom(p *testPortal, n int, fault *gate.Fault) (failed func() bool) {
	var mu sync.Mutex
	calls := 0
	p.Gate().Inject(func(gate.Call) *gate.Fault {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls >= n {
			return fault
		}
		return nil
	})
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		return calls >= n
	}
}

// TestALostAnswerIsNoFailure: one cut connection is repeated by the function, and applied once.
func TestALostAnswerIsNoFailure(t *testing.T) {
	t.Parallel()
	p := start(t)
	var once sync.Once
	p.Gate().Inject(func(c gate.Call) (f *gate.Fault) {
		if c.Action == "TransactWriteItems" {
			once.Do(func() { f = gate.CutAfter })
		}
		return f
	})
	parent := p.create(t, "parent", nil)
	once = sync.Once{}
	p.create(t, "child", object{"parent_category_id": parent})
	once = sync.Once{}
	if r := p.update(t, parent, object{"slug": "moved"}); r.Status != 200 {
		t.Errorf("%d %v", r.Status, r.Body)
	}
	once = sync.Once{}
	if r := p.delete(t, parent); r.Status != 200 {
		t.Errorf("%d %v", r.Status, r.Body)
	}
	p.MustBeWhole(t)
}

// TestDeleteWithFiveHundredLinks works within the function's time. Broken off half-way it leaves the table whole, and
// it succeeds when it is repeated.
func TestDeleteWithFiveHundredLinks(t *testing.T) {
	t.Parallel()
	p := start(t)
	linked := func(name string) int64 { // by three links from each of 125 categories, by one from each of 125 others
		x := p.create(t, name, nil)
		for i := range 125 {
			c := p.NewCategory(t, p.portal, changeset.Category{
				Name: fmt.Sprintf("%s-c%d", name, i), Parent: id.ID(x), Root: id.ID(x), Related: []id.ID{id.ID(x)},
			})
			p.NewCategory(t, p.portal, changeset.Category{
				Name: fmt.Sprintf("%s-d%d", name, i), Parent: id.ID(x), Related: []id.ID{c},
			})
		}
		if n := len(idsOf(p.get(t, x)["sub_category_ids"])); n != 250 {
			t.Fatalf("%d sub-categories", n)
		}
		return x
	}
	if r := p.delete(t, linked("whole")); r.Status != 200 {
		t.Errorf("in one go: %d %v", r.Status, r.Body)
	}
	p.MustBeWhole(t)
	x := linked("broken")
	failed := failFrom(p, 8, gate.Refuse(400, "AccessDeniedException", "")) // which is not repeated
	if r := p.delete(t, x); r.Status != 500 || !failed() {
		t.Fatalf("it was to be broken off: %d %v", r.Status, r.Body)
	}
	p.Gate().Inject(nil)
	p.MustBeWhole(t)
	if n := len(idsOf(p.get(t, x)["associated_category_ids"])); n == 125 {
		t.Error("half-way, no link is gone yet")
	}
	if r := p.delete(t, x); r.Status != 200 {
		t.Fatalf("repeated: %d %v", r.Status, r.Body)
	}
	p.MustBeWhole(t)
	if list := p.list(t, ""); len(list) != 500 {
		t.Errorf("%d categories are left", len(list))
	}
}
