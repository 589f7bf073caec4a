package category_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
)

// conflicting is a fault that makes one write in five meet another transaction.
func conflicting(call awsproxy.Call) *awsproxy.Fault {
	if call.Action == "TransactWriteItems" && rand.N(5) == 0 {
		return awsproxy.Conflict
	}
	return nil
}

// startReadCommitted starts a stack whose database shows reads no more than DynamoDB promises: a query, a batch, or
// reads one after another that meet a transaction see its items one after another, in either order.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
func startReadCommitted(t testing.TB) *testPortal {
	t.Helper()
	return start(t, func(o *local.Options) {
		o.Contention = &contention.Config{
			ReadCommitted: 0.3, Hold: contention.Span{Longest: 5 * time.Millisecond},
		}
	})
}

// statuses counts the answers by their status.
func statuses(answers []answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
	}
	return counts
}

// TestManyClientsCreateTheSameSlug shows that exactly one of them gets the slug. The slug has an item of its own, and a
// condition lets one transaction write it.
func TestManyClientsCreateTheSameSlug(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t, contended)
		answers := fixture.Together(24, func(int) answer {
			r := p.post(t, object{"name": "n", "slug": "faq"})
			if r.Status == 422 {
				expect.Equal[any](t, r.Body["message"], "Locale should be unique in the category and portal")
			}
			return r
		})
		expect.Equal(t, statuses(answers), map[int]int{200: 1, 422: 23}, "answers by status")
		expect.Len(t, p.list(t, ""), 1, "categories")
		p.MustBeWhole(t)
	})
}

// TestMovesAtOnceMakeNoCircle moves four roots, each below the next, all at once. Each move is legal by itself; all
// four together would be a circle. Each move would be valid for what it has read, so the categories above are
// conditions of its transaction.
func TestMovesAtOnceMakeNoCircle(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		p.AWSProxy().Inject(conflicting)
		for round := range 4 {
			const n = 4
			var ids []int64
			for i := range n {
				ids = append(ids, p.create(t, fmt.Sprintf("r%d-%d", round, i), nil))
			}
			answers := fixture.Together(n, func(i int) answer {
				return p.update(t, ids[i], object{"parent_category_id": ids[(i+1)%n]})
			})
			got := statuses(answers)
			expect.AtLeast(t, got[200], 1)
			expect.AtMost(t, got[200], n-1)
			expect.Equal(t, got[200]+got[422]+got[409], n)
		}
		p.MustBeWhole(t)
	})
}

// TestMovesInOneTreeWaitForEachOther moves categories from branch to branch below one category. All of the moves meet
// at that category, which each of them holds. They wait for each other, and none is lost.
func TestMovesInOneTreeWaitForEachOther(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		const clients = 8
		top := p.create(t, "top", nil)
		branches := p.link(t, top, 2*clients) // each client moves from one to another
		moved := make([]tree.Category, clients)
		for i := range moved {
			moved[i] = tree.Category{Name: fmt.Sprintf("moved-%d", i), Parent: branches[2*i]}
		}
		ids := p.NewCategories(t, p.portal, moved...)
		fixture.Together(clients, func(i int) (r answer) {
			r = p.update(t, int64(ids[i]), object{"parent_category_id": branches[2*i+1]})
			r.Is(t, 200, nil)
			return r
		})
		for i, c := range ids {
			expect.Equal(t, idOf(p.get(t, int64(c))["parent_category"]), int64(branches[2*i+1]), "the new parent")
			expect.Equal(t, idsOf(p.show(t, int64(branches[2*i]))["sub_category_ids"]), nil, "of the old one")
		}
		p.MustBeWhole(t)
	})
}

// TestAParentIsDeletedWhileChildrenAreCreated shows that no child keeps a parent that is gone.
func TestAParentIsDeletedWhileChildrenAreCreated(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		p.AWSProxy().Inject(conflicting)
		for round := range 3 {
			parent := p.create(t, fmt.Sprintf("parent-%d", round), nil)
			answers := fixture.Together(9, func(i int) answer {
				if i == 0 {
					return p.delete(t, parent)
				}
				slug := fmt.Sprintf("c-%d-%d", round, i)
				return p.post(t, object{"name": "n", "slug": slug, "parent_category_id": parent})
			})
			for i, r := range answers {
				// The deletion succeeds or gives up. A child may also hear that its parent does not exist any more.
				if r.Status != 200 && r.Status != 409 && (i == 0 || r.Status != 422) {
					t.Errorf("client %d: %d %v", i, r.Status, r.Body)
				}
			}
			p.MustBeWhole(t)
			gone := p.get(t, parent) == nil
			if gone != (answers[0].Status == 200) {
				t.Errorf("delete answered %d, the parent is gone: %t", answers[0].Status, gone)
			}
			for _, c := range p.list(t, "") {
				if gone && idOf(c.(object)["parent_category"]) == parent {
					t.Errorf("an orphan: %v", c)
				}
			}
		}
	})
}

// TestADeletionEndsThoughLinksCome shows that a category can be deleted while others come below it all the time, and
// that nothing comes below it afterwards.
func TestADeletionEndsThoughLinksCome(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		x := p.create(t, "x", nil)
		p.link(t, x, 100)
		answers := fixture.Together(9, func(i int) (r answer) {
			if i == 0 {
				return p.delete(t, x)
			}
			for n := 0; r.Status == 200 || n == 0; n++ {
				slug := fmt.Sprintf("c-%d-%d", i, n)
				r = p.post(t, object{"name": "n", "slug": slug, "parent_category_id": x})
			}
			return r
		})
		got := statuses(answers)
		expect.Equal(t, got[200], 1)
		expect.Equal(t, got[422], 8)
		if p.get(t, x) != nil {
			t.Error("it is still there")
		}
		p.MustBeWhole(t)
	})
}

// TestTwoUpdatesOfOneList sends four lists of related categories at once. One of them wins as a whole; the table never
// holds a mixture.
func TestTwoUpdatesOfOneList(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		var others array
		for i := range 10 {
			others = append(others, p.create(t, fmt.Sprintf("o%d", i), nil))
		}
		x := p.create(t, "x", object{"related_category_ids": others[:1]})
		p.AWSProxy().Inject(conflicting)
		lists := []array{others[:5], others[5:], {}, others}
		answers := fixture.Together(len(lists), func(i int) answer {
			return p.update(t, x, object{"related_category_ids": lists[i]})
		})
		got := statuses(answers)
		expect.AtLeast(t, got[200], 1)
		expect.Equal(t, got[200]+got[409], len(lists))
		p.MustBeWhole(t)
		now := idsOf(p.get(t, x)["related_categories"])
		// One of the lists as it was sent, not a mixture.
		whole := slices.ContainsFunc(lists, func(list array) bool {
			return slices.EqualFunc(now, list, func(a int64, b any) bool { return a == b })
		})
		if !whole {
			t.Errorf("the list is %v, none of those that were sent", now)
		}
	})
}

// TestUpdatesOfDifferentFieldsAllSurvive shows that updates of different fields at once all stay: no lost update.
func TestUpdatesOfDifferentFieldsAllSurvive(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		other := p.create(t, "other", nil)
		p.AWSProxy().Inject(conflicting)
		for round := range 4 {
			x := p.create(t, fmt.Sprintf("x%d", round), nil)
			changes := []object{{"name": "renamed"}, {"parent_category_id": other}, {"position": 7}}
			answers := fixture.Together(len(changes), func(i int) answer {
				return p.update(t, x, changes[i])
			})
			if got := statuses(answers); got[200] != len(changes) {
				t.Errorf("answers %v", got)
			}
			c := p.get(t, x)
			expect.Equal(t, c["name"], "renamed", "lost an update")
			expect.Equal(t, c["position"], 7.0, "lost an update")
			expect.Equal(t, idOf(c["parent_category"]), other, "lost an update")
		}
		p.MustBeWhole(t)
	})
}

// TestDeleteMeetsUpdatesOfWhatItLinks deletes two categories that link to each other while both are changed.
func TestDeleteMeetsUpdatesOfWhatItLinks(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startReadCommitted(t)
		p.AWSProxy().Inject(conflicting)
		for round := range 4 {
			a := p.create(t, fmt.Sprintf("a%d", round), nil)
			b := p.create(t, fmt.Sprintf("b%d", round),
				object{"parent_category_id": a, "related_category_ids": array{a}})
			p.update(t, a, object{"related_category_ids": array{b}, "associated_category_id": b}).Is(t, 200, nil)
			answers := fixture.Together(4, func(i int) answer {
				switch i {
				case 0:
					return p.delete(t, a)
				case 1:
					return p.delete(t, b)
				case 2:
					return p.update(t, b, object{"parent_category_id": nil})
				}
				return p.update(t, a, object{"slug": fmt.Sprintf("moved%d", round)})
			})
			got := statuses(answers)
			expect.AtLeast(t, got[200], 2)
			expect.Equal(t, got[200]+got[404]+got[409], 4)
			p.MustBeWhole(t)
		}
	})
}
