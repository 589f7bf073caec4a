package category_test

import (
	"fmt"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// overtaken is a request whose first transaction gets no answer and arrives late.
type overtaken struct {
	request   func() answer
	meanwhile func() // what the request meets at its second attempt
	back      func() // makes true again what the first transaction wants, as far as that is possible
	status    int    // of the answer
	applied   bool   // the late transaction is
}

// TestARefusalIsFinal lets others overtake a request, so that its second attempt is refused, and then take back what
// they have done. Then the first attempt arrives. Where it succeeds, the answer must have been 503: a refusal would
// have been wrong. Any other answer is final, and the late attempt changes nothing.
func TestARefusalIsFinal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := start(t).Stack
		for name, prepare := range overtakings {
			localtest.Case(t, name, func(t testing.TB) {
				p := newTestPortal(t, stack, fmt.Sprint("handbook-", id.New()))
				o := prepare(t, p)
				arrive := p.Overtake(t, func() { o.request().Is(t, o.status, nil) }, o.meanwhile)
				o.back()
				expect.Equal(t, arrive(), o.applied, "the late transaction is applied")
				p.MustBeWhole(t)
			})
		}
	})
}

// overtakings are requests, each with what overtakes it.
var overtakings = map[string]func(t testing.TB, p *testPortal) overtaken{
	"creation, whose slug is taken and free again": func(t testing.TB, p *testPortal) overtaken {
		var taken int64
		return overtaken{
			request:   func() answer { return p.post(t, object{"name": "x", "slug": "taken"}) },
			meanwhile: func() { taken = p.create(t, "taken", nil) },
			back:      func() { p.delete(t, taken).Is(t, 200, nil) },
			status:    503, applied: true,
		}
	},
	// An import into a portal that was deleted makes categories under the ids that they had.
	"creation below a parent that is deleted and imported again": func(t testing.TB, p *testPortal) overtaken {
		parent := p.create(t, "parent", nil)
		return overtaken{
			request: func() answer {
				return p.post(t, object{"name": "x", "slug": "x", "parent_category_id": parent})
			},
			meanwhile: func() { p.delete(t, parent).Is(t, 200, nil) },
			back: func() {
				cs := changeset.New(p.Table, p.portal)
				cs.Create(tree.Category{ID: id.ID(parent), Name: "parent", Slug: "parent", Locale: "en"})
				must(t, cs.Run(t.Context()))
			},
			status: 503, applied: true,
		}
	},
	"creation by a member who leaves and joins again": func(t testing.TB, p *testPortal) overtaken {
		return overtaken{
			request: func() answer { return p.post(t, object{"name": "x", "slug": "x"}) },
			meanwhile: func() {
				must(t, portal.Store{Table: p.Table}.RemoveMember(t.Context(), p.portal, p.memberID(t)))
			},
			back:   func() { p.AddMember(t, p.portal, p.memberID(t)) },
			status: 403, applied: false,
		}
	},
	// Two repairs make the same record, because a lost one is made again without its time.
	"creation by a member whose record is lost and repaired twice": func(t testing.TB, p *testPortal) overtaken {
		repaired := portal.Membership{Key: p.portal.Member(p.memberID(t)), User: p.memberID(t)}
		p.Put(t, repaired)
		return overtaken{
			request: func() answer { return p.post(t, object{"name": "x", "slug": "x"}) },
			meanwhile: func() {
				must(t, p.Table.DeleteItem(repaired.Key).Run(t.Context()))
			},
			back:   func() { p.Put(t, repaired) },
			status: 503, applied: true,
		}
	},
	"update to a slug that is taken and free again": func(t testing.TB, p *testPortal) overtaken {
		c := p.create(t, "before", nil)
		var taken int64
		return overtaken{
			request:   func() answer { return p.update(t, c, object{"slug": "after"}) },
			meanwhile: func() { taken = p.create(t, "after", nil) },
			back:      func() { p.delete(t, taken).Is(t, 200, nil) },
			status:    503, applied: true,
		}
	},
	// The same, and the category changes, too: its version never comes back.
	"update to a slug that is taken, of what changes": func(t testing.TB, p *testPortal) overtaken {
		c := p.create(t, "before", nil)
		var taken int64
		return overtaken{
			request: func() answer { return p.update(t, c, object{"slug": "after"}) },
			meanwhile: func() {
				taken = p.create(t, "after", nil)
				p.update(t, c, object{"name": "Changed"}).Is(t, 200, nil)
			},
			back: func() {
				p.delete(t, taken).Is(t, 200, nil)
				p.update(t, c, object{"name": "before"}).Is(t, 200, nil)
			},
			status: 422, applied: false,
		}
	},
	"update, and another of the same category": func(t testing.TB, p *testPortal) overtaken {
		c := p.create(t, "c", nil)
		return overtaken{
			request:   func() answer { return p.update(t, c, object{"description": "first"}) },
			meanwhile: func() { p.update(t, c, object{"position": 1}).Is(t, 200, nil) },
			back:      func() { p.update(t, c, object{"position": nil, "description": nil}).Is(t, 200, nil) },
			status:    200, applied: false,
		}
	},
	"move below what is below it by now, and no longer": func(t testing.TB, p *testPortal) overtaken {
		a, b := p.create(t, "a", nil), p.create(t, "b", nil)
		return overtaken{
			request:   func() answer { return p.update(t, a, object{"parent_category_id": b}) },
			meanwhile: func() { p.update(t, b, object{"parent_category_id": a}).Is(t, 200, nil) },
			back:      func() { p.update(t, b, object{"parent_category_id": nil}).Is(t, 200, nil) },
			status:    503, applied: true,
		}
	},
	"move below what moves away, and back": func(t testing.TB, p *testPortal) overtaken {
		a, b, top := p.create(t, "a", nil), p.create(t, "b", nil), p.create(t, "top", nil)
		return overtaken{
			request:   func() answer { return p.update(t, a, object{"parent_category_id": b}) },
			meanwhile: func() { p.update(t, b, object{"parent_category_id": top}).Is(t, 200, nil) },
			back:      func() { p.update(t, b, object{"parent_category_id": nil}).Is(t, 200, nil) },
			status:    503, applied: true,
		}
	},
	// What confirms a refusal only compares, so nothing of it can be late.
	"move below what is below it, which moves meanwhile": func(t testing.TB, p *testPortal) overtaken {
		a := p.create(t, "a", nil)
		b := p.create(t, "b", object{"parent_category_id": a})
		return overtaken{
			request:   func() answer { return p.update(t, a, object{"parent_category_id": b}) },
			meanwhile: func() { p.update(t, b, object{"parent_category_id": nil}).Is(t, 200, nil) },
			back:      func() {},
			status:    200, applied: false,
		}
	},
	"reorder of what moves meanwhile": func(t testing.TB, p *testPortal) overtaken {
		ids := []int64{p.create(t, "o1", nil), p.create(t, "o2", nil)}
		return overtaken{
			request:   func() answer { return p.reorder(t, positionsOf(ids, 1)) },
			meanwhile: func() { p.reorder(t, positionsOf(ids, 5)).Is(t, 200, nil) },
			back: func() {
				p.update(t, ids[0], object{"position": nil}).Is(t, 200, nil)
				p.update(t, ids[1], object{"position": nil}).Is(t, 200, nil)
			},
			status: 200, applied: false,
		}
	},
	// A category that has its position is a condition.
	"reorder beside one that moves away and back": func(t testing.TB, p *testPortal) overtaken {
		ids := []int64{p.create(t, "o1", nil), p.create(t, "o2", object{"position": 2})}
		return overtaken{
			request:   func() answer { return p.reorder(t, positionsOf(ids, 1)) },
			meanwhile: func() { p.update(t, ids[1], object{"position": 9}).Is(t, 200, nil) },
			back: func() {
				p.update(t, ids[0], object{"position": nil}).Is(t, 200, nil)
				p.update(t, ids[1], object{"position": 2}).Is(t, 200, nil)
			},
			status: 200, applied: false,
		}
	},
	"deletion of what changes meanwhile": func(t testing.TB, p *testPortal) overtaken {
		c := p.create(t, "c", nil)
		return overtaken{
			request:   func() answer { return p.delete(t, c) },
			meanwhile: func() { p.update(t, c, object{"name": "Changed"}).Is(t, 200, nil) },
			back:      func() { p.create(t, "c", nil) },
			status:    200, applied: false,
		}
	},
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
