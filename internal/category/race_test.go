package category_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"frontdesk/internal/local"
)

// contended makes one write in five meet another transaction.
func contended(call local.Call) *local.Fault {
	if call.Action == "TransactWriteItems" && rand.N(5) == 0 {
		return local.Conflict
	}
	return nil
}

// atOnce runs clients side by side and gives their answers.
func atOnce(t *testing.T, clients int, do func(client int) (reply, error)) []reply {
	t.Helper()
	replies := make([]reply, clients)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			<-start
			var err error
			if replies[i], err = do(i); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	return replies
}

func statuses(replies []reply) map[int]int {
	counts := map[int]int{}
	for _, r := range replies {
		counts[r.HTTP]++
	}
	return counts
}

func TestFiftyClientsCreateTheSameSlug(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.stack.Gate().Inject(contended)
	replies := atOnce(t, 50, func(int) (reply, error) {
		return d.try("POST", d.path, d.agent, object{"category": object{"name": "n", "slug": "faq"}})
	})
	if got := statuses(replies); got[200] != 1 || got[422] != 49 {
		t.Errorf("answers %v, want one 200 and 49 422", got)
	}
	for _, r := range replies {
		if r.HTTP == 422 && r.Body["message"] != "Locale should be unique in the category and portal" {
			t.Errorf("%v", r.Body)
		}
	}
	if n := len(d.list(t, "")); n != 1 {
		t.Errorf("%d categories", n)
	}
	d.mustBeWhole(t)
}

func TestNeverACircle(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.stack.Gate().Inject(contended)
	for round := range 10 {
		const n = 4 // each goes under the next, all at once
		var ids []int64
		for i := range n {
			ids = append(ids, d.named(t, fmt.Sprintf("r%d-%d", round, i), nil))
		}
		replies := atOnce(t, n, func(i int) (reply, error) {
			return d.try("PUT", fmt.Sprintf("%s/%d", d.path, ids[i]), d.agent, object{"category": object{"parent_category_id": ids[(i+1)%n]}})
		})
		if got := statuses(replies); got[200] < 1 || got[200] >= n || got[200]+got[422]+got[409] != n {
			t.Errorf("answers %v: at least one and never all may win", got)
		}
	}
	d.mustBeWhole(t)
}

func TestAParentIsDeletedWhileChildrenAreCreated(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.stack.Gate().Inject(contended)
	for round := range 5 {
		parent := d.named(t, fmt.Sprintf("parent-%d", round), nil)
		replies := atOnce(t, 21, func(i int) (reply, error) {
			if i == 0 {
				return d.try("DELETE", fmt.Sprintf("%s/%d", d.path, parent), d.agent, nil)
			}
			return d.try("POST", d.path, d.agent, object{"category": object{"name": "n", "slug": fmt.Sprintf("c-%d-%d", round, i), "parent_category_id": parent}})
		})
		for i, r := range replies {
			if r.HTTP != 200 && r.HTTP != 409 && (i == 0 || r.HTTP != 422) {
				t.Errorf("client %d: %d %v", i, r.HTTP, r.Body)
			}
		}
		d.mustBeWhole(t)
		gone := d.get(t, parent) == nil
		if gone != (replies[0].HTTP == 200) {
			t.Errorf("delete answered %d, the parent is gone: %t", replies[0].HTTP, gone)
		}
		for _, c := range d.list(t, "") {
			if p := idOf(c.(object)["parent_category"]); gone && p == parent {
				t.Errorf("an orphan: %v", c)
			}
		}
	}
}

func TestTwoUpdatesOfOneList(t *testing.T) {
	t.Parallel()
	d := open(t)
	var others array
	for i := range 10 {
		others = append(others, d.named(t, fmt.Sprintf("o%d", i), nil))
	}
	x := d.named(t, "x", object{"related_category_ids": others[:1]})
	d.stack.Gate().Inject(contended)
	lists := []array{others[:5], others[5:], {}, others}
	replies := atOnce(t, len(lists), func(i int) (reply, error) {
		return d.try("PUT", fmt.Sprintf("%s/%d", d.path, x), d.agent, object{"category": object{"related_category_ids": lists[i]}})
	})
	if got := statuses(replies); got[200] == 0 || got[200]+got[409] != len(lists) {
		t.Errorf("answers %v", got)
	}
	d.mustBeWhole(t)
	now := idsOf(d.get(t, x)["related_categories"])
	whole := slices.ContainsFunc(lists, func(list array) bool {
		return slices.EqualFunc(now, list, func(a int64, b any) bool { return a == b })
	})
	if !whole {
		t.Errorf("the list is %v, none of those that were sent", now)
	}
}

func TestUpdatesOfDifferentFieldsAllSurvive(t *testing.T) {
	t.Parallel()
	d := open(t)
	other := d.named(t, "other", nil)
	d.stack.Gate().Inject(contended)
	for round := range 10 {
		x := d.named(t, fmt.Sprintf("x%d", round), nil)
		changes := []object{{"name": "renamed"}, {"parent_category_id": other}, {"position": 7}}
		replies := atOnce(t, len(changes), func(i int) (reply, error) {
			return d.try("PUT", fmt.Sprintf("%s/%d", d.path, x), d.agent, object{"category": changes[i]})
		})
		if got := statuses(replies); got[200] != len(changes) {
			t.Errorf("answers %v", got)
		}
		if c := d.get(t, x); c["name"] != "renamed" || c["position"] != 7.0 || idOf(c["parent_category"]) != other {
			t.Errorf("lost an update: %v", c)
		}
	}
	d.mustBeWhole(t)
}

func TestDeleteMeetsUpdatesOfWhatItLinks(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.stack.Gate().Inject(contended)
	for round := range 10 {
		a := d.named(t, fmt.Sprintf("a%d", round), nil)
		b := d.named(t, fmt.Sprintf("b%d", round), object{"parent_category_id": a, "related_category_ids": array{a}})
		if r := d.update(t, a, object{"related_category_ids": array{b}, "associated_category_id": b}); r.HTTP != 200 {
			t.Fatalf("%d %v", r.HTTP, r.Body)
		}
		replies := atOnce(t, 4, func(i int) (reply, error) {
			switch i {
			case 0:
				return d.try("DELETE", fmt.Sprintf("%s/%d", d.path, a), d.agent, nil)
			case 1:
				return d.try("DELETE", fmt.Sprintf("%s/%d", d.path, b), d.agent, nil)
			case 2:
				return d.try("PUT", fmt.Sprintf("%s/%d", d.path, b), d.agent, object{"category": object{"parent_category_id": nil}})
			}
			return d.try("PUT", fmt.Sprintf("%s/%d", d.path, a), d.agent, object{"category": object{"slug": fmt.Sprintf("moved%d", round)}})
		})
		if got := statuses(replies); got[200] < 2 || got[200]+got[404]+got[409] != 4 {
			t.Errorf("answers %v: both deletes have to succeed", got)
		}
		d.mustBeWhole(t)
	}
}
