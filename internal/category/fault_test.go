package category_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/local"
)

// TestEveryCallFails fails the Nth call of each operation to the table, before it was applied and after it
// was, for every N. The function's own retry is cut off as well, so that the client sees the failure; the
// table must be whole, and the client's own retry end in the state that it asked for.
func TestEveryCallFails(t *testing.T) {
	// Each makes a scene of its own, numbered, for a request and says how to know that it is done.
	for name, op := range map[string]func(t *testing.T, d *desk, serial int) (do func() reply, done func(reply) bool){
		"create": func(t *testing.T, d *desk, serial int) (func() reply, func(reply) bool) {
			parent, slug := d.named(t, fmt.Sprintf("p%d", serial), nil), fmt.Sprintf("new-%d", serial)
			return func() reply {
					return d.call(t, "POST", d.path, d.agent, object{"category": object{"name": "n", "slug": slug, "parent_category_id": parent, "related_category_ids": array{parent}}})
				}, func(r reply) bool { // a retry may find that the first try has done it
					return (r.HTTP == 200 || r.HTTP == 422) && len(idsOf(d.get(t, parent)["sub_category_ids"])) == 1
				}
		},
		"update": func(t *testing.T, d *desk, serial int) (func() reply, func(reply) bool) {
			a, b := d.named(t, fmt.Sprintf("a%d", serial), nil), d.named(t, fmt.Sprintf("b%d", serial), nil)
			x := d.named(t, fmt.Sprintf("x%d", serial), object{"parent_category_id": a, "associated_category_id": a})
			slug := fmt.Sprintf("y%d", serial)
			return func() reply {
					return d.update(t, x, object{"slug": slug, "parent_category_id": b, "related_category_ids": array{a, b}})
				}, func(r reply) bool {
					c := d.get(t, x)
					return r.HTTP == 200 && c["slug"] == slug && idOf(c["parent_category"]) == b && len(idsOf(c["related_categories"])) == 2
				}
		},
		"delete": func(t *testing.T, d *desk, serial int) (func() reply, func(reply) bool) {
			a := d.named(t, fmt.Sprintf("a%d", serial), nil)
			x := d.named(t, fmt.Sprintf("x%d", serial), object{"parent_category_id": a})
			for i := range 30 { // more than go with it in one transaction
				d.named(t, fmt.Sprintf("c%d-%d", serial, i), object{"parent_category_id": x})
			}
			return func() reply { return d.delete(t, x) }, func(r reply) bool {
				return (r.HTTP == 200 || r.HTTP == 404) && d.get(t, x) == nil && len(idsOf(d.get(t, a)["sub_category_ids"])) == 0
			}
		},
	} {
		for when, fault := range map[string]*local.Fault{"before": local.CutBefore, "after": local.CutAfter, "500": local.ServerError} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				d := open(t)
				for n := 1; ; n++ {
					do, done := op(t, d, n)
					failed := failFrom(d, n, fault)
					r := do()
					d.stack.Gate().Inject(nil)
					if !failed() {
						if n < 3 {
							t.Errorf("only %d calls", n-1)
						}
						return // n is beyond the last call
					}
					if r.HTTP != 500 {
						t.Errorf("call %d failed for good, and the answer is %d %v", n, r.HTTP, r.Body)
					}
					d.mustBeWhole(t)
					if r := do(); !done(r) {
						t.Errorf("after the failure of call %d the retry ended with %d %v", n, r.HTTP, r.Body)
					}
					d.mustBeWhole(t)
				}
			})
		}
	}
}

// failFrom fails the nth call to the table and every one after it, so that no retry helps; failed says
// whether there was one.
func failFrom(d *desk, n int, fault *local.Fault) (failed func() bool) {
	var mu sync.Mutex
	calls := 0
	d.stack.Gate().Inject(func(local.Call) *local.Fault {
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
	d := open(t)
	var once sync.Once
	d.stack.Gate().Inject(func(c local.Call) (f *local.Fault) {
		if c.Action == "TransactWriteItems" {
			once.Do(func() { f = local.CutAfter })
		}
		return f
	})
	parent := d.named(t, "parent", nil)
	once = sync.Once{}
	d.named(t, "child", object{"parent_category_id": parent})
	once = sync.Once{}
	if r := d.update(t, parent, object{"slug": "moved"}); r.HTTP != 200 {
		t.Errorf("%d %v", r.HTTP, r.Body)
	}
	once = sync.Once{}
	if r := d.delete(t, parent); r.HTTP != 200 {
		t.Errorf("%d %v", r.HTTP, r.Body)
	}
	d.mustBeWhole(t)
}

// TestDeleteWithFiveHundredLinks works within the function's time; broken off half-way it leaves everything
// in order, and succeeds when it is repeated.
func TestDeleteWithFiveHundredLinks(t *testing.T) {
	t.Parallel()
	d := open(t)
	linked := func(name string) int64 { // by three links from each of 125 categories, by one from each of 125 others
		x := d.named(t, name, nil)
		for i := range 125 {
			c := d.named(t, fmt.Sprintf("%s-c%d", name, i), object{"parent_category_id": x, "associated_category_id": x, "related_category_ids": array{x}})
			d.named(t, fmt.Sprintf("%s-d%d", name, i), object{"parent_category_id": x, "related_category_ids": array{c}})
		}
		if n := len(idsOf(d.get(t, x)["sub_category_ids"])); n != 250 {
			t.Fatalf("%d sub-categories", n)
		}
		return x
	}
	if r := d.delete(t, linked("whole")); r.HTTP != 200 {
		t.Errorf("in one go: %d %v", r.HTTP, r.Body)
	}
	d.mustBeWhole(t)
	x := linked("broken")
	failed := failFrom(d, 8, local.CutBefore)
	if r := d.delete(t, x); r.HTTP != 500 || !failed() {
		t.Fatalf("it was to be broken off: %d %v", r.HTTP, r.Body)
	}
	d.stack.Gate().Inject(nil)
	d.mustBeWhole(t)
	if n := len(idsOf(d.get(t, x)["associated_category_ids"])); n == 125 {
		t.Error("half-way, no link is gone yet")
	}
	if r := d.delete(t, x); r.HTTP != 200 {
		t.Fatalf("repeated: %d %v", r.HTTP, r.Body)
	}
	d.mustBeWhole(t)
	if list := d.list(t, ""); len(list) != 500 {
		t.Errorf("%d categories are left", len(list))
	}
}
