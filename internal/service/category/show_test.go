package category_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/tree"
)

// TestACategoryIsShownAsTheListShowsIt compares the two, with the links in both directions.
func TestACategoryIsShownAsTheListShowsIt(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		root := p.create(t, "root", object{"locale": "es", "position": 3})
		parent := p.create(t, "parent", object{"associated_category_id": root, "description": ""})
		x := p.create(t, "x", object{
			"parent_category_id": parent, "associated_category_id": root, "related_category_ids": array{root, parent},
		})
		p.create(t, "y", object{"parent_category_id": x, "related_category_ids": array{x}})
		for _, c := range p.list(t, "") {
			if got := p.show(t, idOf(c)); fmt.Sprint(got) != fmt.Sprint(c) {
				t.Errorf("shown  %v\nlisted %v", got, c)
			}
		}
		if r := p.delete(t, x); r.Status != 200 {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
		r := p.send(t, p.to("getCategory", x), nil)
		r.Is(t, 404, object{"code": "not_found"})
		elsewhere := start(t)
		foreign := elsewhere.create(t, "foreign", nil)
		// An agent of this portal must not see a category of another one, although both are of one account.
		if r := p.send(t, p.to("getCategory", foreign), nil); r.Status != 404 {
			t.Errorf("another portal's: %d %v", r.Status, r.Body)
		}
	})
}

// TestOneOfThousandsOfSubCategoriesIsShown shows a category with 3,500 sub-categories. Each further 1 MB of index items
// takes one more round trip.
func TestOneOfThousandsOfSubCategoriesIsShown(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		p := stack.NewPortal(t, 1, strings.Repeat("x", 250), "en") // a long key, so that few items make 1 MB
		stack.AddMember(t, p, tenant.Agent.ID)
		l := &library{TB: t, Tenant: tenant, stack: stack, portal: p}
		parent := stack.NewCategory(t, p, tree.Category{Name: "parent"})
		var want []int64
		var index []any
		for range 3500 {
			sub := id.New()
			want = append(want, int64(sub))
			for _, i := range changeset.Index(p, tree.Category{ID: sub, Parent: parent}) {
				index = append(index, i)
			}
		}
		stack.Put(t, index...)
		a, took := l.send(fixture.To("getCategory", p, parent), nil)
		expect.Equal(t, a.Status, 200)
		expect.Equal(t, idsOf(a.Body["payload"].(object)["sub_category_ids"]), want)
		expect.Equal(t, took.Calls, 3)
	})
}
