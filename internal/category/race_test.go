package category_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/table"
)

// contended is a fault that makes one write in five meet another transaction.
func contended(call gate.Call) *gate.Fault {
	if call.Action == "TransactWriteItems" && rand.N(5) == 0 {
		return gate.Conflict
	}
	return nil
}

// statuses counts the answers by their status.
func statuses(answers []answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
	}
	return counts
}

// TestFiftyClientsCreateTheSameSlug shows that exactly one of them gets the slug. The slug has an item of its own,
// and a condition lets one transaction write it.
func TestFiftyClientsCreateTheSameSlug(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.Gate().Inject(contended)
	answers := fixture.Together(50, func(int) (a answer) {
		for range 5 { // a busy machine loses answers, and 503 says that nobody knows who has the slug
			if a = p.post(t, object{"name": "n", "slug": "faq"}); a.Status != http.StatusServiceUnavailable {
				break
			}
		}
		return a
	})
	if got := statuses(answers); got[200] != 1 || got[422] != 49 {
		t.Errorf("answers %v, want one 200 and 49 422", got)
	}
	for _, r := range answers {
		if r.Status == 422 && r.Body["message"] != "Locale should be unique in the category and portal" {
			t.Errorf("%v", r.Body)
		}
	}
	if n := len(p.list(t, "")); n != 1 {
		t.Errorf("%d categories", n)
	}
	p.MustBeWhole(t)
}

// TestMovesAtOnceMakeNoCircle moves four roots, each below the next, all at once. Each move is legal by itself; all
// four together would be a circle. Each move would be valid for what it has read, so the categories above are
// conditions of its transaction.
func TestMovesAtOnceMakeNoCircle(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.Gate().Inject(contended)
	for round := range 10 {
		const n = 4
		var ids []int64
		for i := range n {
			ids = append(ids, p.create(t, fmt.Sprintf("r%d-%d", round, i), nil))
		}
		answers := fixture.Together(n, func(i int) answer {
			return p.update(t, ids[i], object{"parent_category_id": ids[(i+1)%n]})
		})
		got := statuses(answers)
		expect.AtLeast(t, "got[200]", got[200], 1)
		expect.AtMost(t, "got[200]", got[200], n-1)
		expect.Equal(t, "got[200]+got[422]+got[409]", got[200]+got[422]+got[409], n)
	}
	p.MustBeWhole(t)
}

// TestMovesInDifferentBranchesMeetAtNoItem shows that moves in different branches do not wait for each other, although
// one category is above all branches: their transactions share no item.
func TestMovesInDifferentBranchesMeetAtNoItem(t *testing.T) {
	t.Parallel()
	p := start(t)
	const clients = 64
	top := p.create(t, "top", nil)
	branches := p.link(t, top, 2*clients) // each client moves from one to another
	moved := make([]changeset.Category, clients)
	for i := range moved {
		moved[i] = changeset.Category{Name: fmt.Sprintf("moved-%d", i), Parent: branches[2*i]}
	}
	ids := p.NewCategories(t, p.portal, moved...)
	answers := fixture.Together(clients, func(i int) answer {
		return p.update(t, int64(ids[i]), object{"parent_category_id": branches[2*i+1]})
	})
	by := map[table.Key]int{}
	for i, r := range answers {
		if r.Status != 200 {
			t.Errorf("client %d: %d %v", i, r.Status, r.Body)
		}
		transactions := map[string]bool{}
		for _, call := range p.Gate().Calls(r.RequestID) {
			if call.Action != "TransactWriteItems" {
				continue
			}
			token, keys := readTransaction(t, call)
			if transactions[token] {
				continue // a second attempt: a busy machine did not answer the first in time
			}
			transactions[token] = true
			for _, k := range keys {
				if other, met := by[k]; met {
					t.Errorf("clients %d and %d meet at %s", i, other, k)
				}
				by[k] = i
			}
		}
		if len(transactions) != 1 {
			t.Errorf("client %d: %d transactions", i, len(transactions))
		}
	}
	if len(by) != 5*clients { // the category, its old and its new parent, and a link of each
		t.Errorf("%d items", len(by))
	}
	p.MustBeWhole(t)
}

// readTransaction returns a transaction's token, which all attempts at it share, and the keys of its items.
func readTransaction(t *testing.T, call gate.Call) (token string, keys []table.Key) {
	t.Helper()
	type key struct{ PK, SK struct{ S string } }
	var body struct {
		ClientRequestToken string

		TransactItems []map[string]struct{ Key, Item key }
	}
	if err := json.Unmarshal(call.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, operation := range body.TransactItems {
		for _, of := range operation {
			keys = append(keys, table.Key{PK: of.Key.PK.S + of.Item.PK.S, SK: of.Key.SK.S + of.Item.SK.S})
		}
	}
	return body.ClientRequestToken, keys
}

// TestAParentIsDeletedWhileChildrenAreCreated shows that no child keeps a parent that is gone.
func TestAParentIsDeletedWhileChildrenAreCreated(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.Gate().Inject(contended)
	for round := range 5 {
		parent := p.create(t, fmt.Sprintf("parent-%d", round), nil)
		answers := fixture.Together(21, func(i int) answer {
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
}

// TestADeletionEndsThoughLinksCome shows that a category gets no new links once its deletion has begun to end them.
func TestADeletionEndsThoughLinksCome(t *testing.T) {
	t.Parallel()
	p := start(t)
	x := p.create(t, "x", nil)
	p.link(t, x, 2*changeset.MaxUnlinkRefs)
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
	expect.Equal(t, "got[200]", got[200], 1)
	expect.Equal(t, "got[422]", got[422], 8)
	if p.get(t, x) != nil {
		t.Error("it is still there")
	}
	p.MustBeWhole(t)
}

// TestTwoUpdatesOfOneList sends four lists of related categories at once. One of them wins as a whole; the table never
// holds a mixture.
func TestTwoUpdatesOfOneList(t *testing.T) {
	t.Parallel()
	p := start(t)
	var others array
	for i := range 10 {
		others = append(others, p.create(t, fmt.Sprintf("o%d", i), nil))
	}
	x := p.create(t, "x", object{"related_category_ids": others[:1]})
	p.Gate().Inject(contended)
	lists := []array{others[:5], others[5:], {}, others}
	answers := fixture.Together(len(lists), func(i int) answer {
		return p.update(t, x, object{"related_category_ids": lists[i]})
	})
	got := statuses(answers)
	expect.AtLeast(t, "got[200]", got[200], 1)
	expect.Equal(t, "got[200]+got[409]", got[200]+got[409], len(lists))
	p.MustBeWhole(t)
	now := idsOf(p.get(t, x)["related_categories"])
	// One of the lists as it was sent, not a mixture.
	whole := slices.ContainsFunc(lists, func(list array) bool {
		return slices.EqualFunc(now, list, func(a int64, b any) bool { return a == b })
	})
	if !whole {
		t.Errorf("the list is %v, none of those that were sent", now)
	}
}

// TestUpdatesOfDifferentFieldsAllSurvive shows that updates of different fields at once all stay: no lost update.
func TestUpdatesOfDifferentFieldsAllSurvive(t *testing.T) {
	t.Parallel()
	p := start(t)
	other := p.create(t, "other", nil)
	p.Gate().Inject(contended)
	for round := range 10 {
		x := p.create(t, fmt.Sprintf("x%d", round), nil)
		changes := []object{{"name": "renamed"}, {"parent_category_id": other}, {"position": 7}}
		answers := fixture.Together(len(changes), func(i int) answer {
			return p.update(t, x, changes[i])
		})
		if got := statuses(answers); got[200] != len(changes) {
			t.Errorf("answers %v", got)
		}
		c := p.get(t, x)
		expect.Equal(t, `lost an update: c["name"]`, c["name"], "renamed")
		expect.Equal(t, `lost an update: c["position"]`, c["position"], 7.0)
		expect.Equal(t, `lost an update: idOf(c["parent_category"])`, idOf(c["parent_category"]), other)
	}
	p.MustBeWhole(t)
}

// TestDeleteMeetsUpdatesOfWhatItLinks deletes two categories that link to each other while both are changed.
func TestDeleteMeetsUpdatesOfWhatItLinks(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.Gate().Inject(contended)
	for round := range 10 {
		a := p.create(t, fmt.Sprintf("a%d", round), nil)
		b := p.create(t, fmt.Sprintf("b%d", round), object{"parent_category_id": a, "related_category_ids": array{a}})
		if r := p.update(t, a, object{"related_category_ids": array{b}, "associated_category_id": b}); r.Status != 200 {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
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
		expect.AtLeast(t, "got[200]", got[200], 2)
		expect.Equal(t, "got[200]+got[404]+got[409]", got[200]+got[404]+got[409], 4)
		p.MustBeWhole(t)
	}
}
