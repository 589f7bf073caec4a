package category_test

import (
	"fmt"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
)

// link makes n categories below parent, without the endpoint.
func (p *testPortal) link(t testing.TB, parent int64, n int) []id.ID {
	t.Helper()
	categories := make([]tree.Category, n)
	for i := range categories {
		categories[i] = tree.Category{Name: fmt.Sprintf("below-%d-%d", parent, i), Parent: id.ID(parent)}
	}
	return p.NewCategories(t, p.portal, categories...)
}

// TestADeletionIsOneTransaction shows that a category is deleted at once, however many links of each kind lead to it.
// Then each of these links counts as none, in every answer, and updated_at of the categories that had them stays.
func TestADeletionIsOneTransaction(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		x := p.create(t, "x", object{"locale": "es"})
		y := p.create(t, "y", nil)
		linked := object{
			"parent_category_id": x, "associated_category_id": x, "related_category_ids": array{y, x},
		}
		all := p.create(t, "all", linked)
		p.link(t, x, 120) // more than one transaction could write
		before := p.get(t, all)
		r := p.delete(t, x)
		r.Is(t, 200, nil)
		expect.Equal(t, fmt.Sprint(p.Actions(r)), "[BatchGetItem TransactWriteItems]", "calls")
		expect.Len(t, p.list(t, ""), 122, "the list")
		for _, c := range p.list(t, "") {
			c := c.(object)
			expect.Equal(t, c["parent_category"], nil, "a link is left")
			expect.Equal(t, c["root_category"], nil, "a link is left")
		}
		after := p.get(t, all)
		expect.Equal(t, idsOf(after["related_categories"]), []int64{y}, "the related ones")
		expect.Equal(t, after["updated_at"], before["updated_at"])
		expect.Equal(t, fmt.Sprint(p.show(t, all)), fmt.Sprint(after), "shown alone")
		p.MustBeWhole(t)

		// An update that does not name the links that are gone leaves them, and answers without them.
		r = p.update(t, all, object{"name": "renamed"})
		r.Is(t, 200, nil)
		expect.Equal(t, fmt.Sprint(r.Body["payload"]), fmt.Sprint(p.get(t, all)), "an update of another field")
		for field, message := range map[string]string{
			"parent_category_id":     "Parent category must exist",
			"associated_category_id": "Associated category must exist",
			"related_category_ids":   "Related categories must exist",
		} {
			p.update(t, all, object{field: linked[field]}).Is(t, 422, object{"message": message})
		}
		r = p.update(t, all, object{
			"parent_category_id": nil, "associated_category_id": y, "related_category_ids": array{},
		})
		r.Is(t, 200, nil)
		expect.Equal(t, idsOf(p.show(t, y)["associated_category_ids"]), []int64{all}, "the new root")
		p.MustBeWhole(t)
	})
}

// TestWhatWasBelowADeletedCategoryIsARoot shows that it can move anywhere, also below what was above it.
func TestWhatWasBelowADeletedCategoryIsARoot(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		top := p.create(t, "top", nil)
		middle := p.create(t, "middle", object{"parent_category_id": top})
		low := p.create(t, "low", object{"parent_category_id": middle})
		p.delete(t, middle).Is(t, 200, nil)
		p.update(t, top, object{"parent_category_id": low}).Is(t, 200, nil)
		p.update(t, low, object{"parent_category_id": top}).Is(t, 422, nil)
		expect.Equal(t, idsOf(p.show(t, low)["sub_category_ids"]), []int64{top}, "what is below low")
		p.MustBeWhole(t)
	})
}
