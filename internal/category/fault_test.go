package category_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/localtest"
)

// attempt is a request whose calls fail, and a test of whether what it asks for was done.
type attempt struct {
	do   func() answer
	done func(answer) bool // by the answer of a retry
}

// attempts prepare the categories of a request. Their names end in serial, so that they can run again in one portal.
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
	"reorder": func(t *testing.T, p *testPortal, serial int) attempt {
		ids := p.some(t, fmt.Sprintf("r%d", serial), 3)
		return attempt{
			do: func() answer { return p.reorder(t, positionsOf(ids, 10*serial)) },
			done: func(r answer) bool {
				return r.Status == 200 && p.get(t, ids[2])["position"] == float64(10*serial+2)
			},
		}
	},
	"delete": func(t *testing.T, p *testPortal, serial int) attempt {
		a := p.create(t, fmt.Sprintf("a%d", serial), nil)
		x := p.create(t, fmt.Sprintf("x%d", serial), object{"parent_category_id": a})
		p.link(t, x, 80) // two transactions before its own
		return attempt{
			do: func() answer { return p.delete(t, x) },
			done: func(r answer) bool {
				subs := idsOf(p.get(t, a)["sub_category_ids"])
				return (r.Status == 200 || r.Status == 404) && p.get(t, x) == nil && len(subs) == 0
			},
		}
	},
}

// TestEveryCallFails fails the Nth call of each operation to the table, for every N: before the call was applied,
// after it, or by killing the function, where it writes more than once. The function's own retries fail as well, so
// the client sees an error. Then the table must be whole, and the client's retry must reach the state that the client
// asked for.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for name, prepare := range attempts {
		for when, fault := range map[string]*gate.Fault{
			"before": gate.CutBefore, "after": gate.CutAfter, "500": gate.ServerError,
			"killed before": gate.KillBefore, "killed after": gate.KillAfter,
		} {
			if strings.HasPrefix(when, "killed") && name != "delete" {
				continue // the others write once
			}
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				stack := fixture.Start(t, shortTimeout(t))
				for n := 1; ; n++ {
					p := newTestPortal(t, stack, fmt.Sprint("call-", n)) // whose lists are short
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
					want, later := 503, r.Header.Get("Retry-After")
					// A dead function sends no Retry-After. API Gateway answers for it.
					if strings.HasPrefix(when, "killed") {
						want, later = 500, "at once" // API Gateway's answer
					}
					r.Is(t, want, nil)
					expect.Not(t, "later", later, "")
					p.MustBeWhole(t)
					r = attempt.do()
					for again := 0; r.Status == 503 && again < 9; again++ { // on a busy machine, 2 seconds are little
						r = attempt.do()
					}
					if !attempt.done(r) {
						t.Errorf("after the failure of call %d the retry ended with %d %v", n, r.Status, r.Body)
					}
					p.MustBeWhole(t)
				}
			})
		}
	}
}

// shortTimeout gives the functions 3 seconds, and their calls 2, so that a test of failures is quick.
func shortTimeout(t *testing.T) func(*local.Options) {
	return func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 3") }
}

// failFrom fails the nth call to the table and all that follow, so that no retry of the function helps. failed reports
// whether there were n calls.
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

// TestALostAnswerIsNoFailure cuts one connection after the write was applied. The function repeats the write, DynamoDB
// recognizes its token and applies it once, and the client gets 200.
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
