package check_test

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// populated returns a table with items of every kind that belongs to others: a tenant whose agent has tokens of each
// kind, and three categories with links of each kind.
func populated(t testing.TB) *fixture.Stack {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tenant := stack.NewTenant(t)
	agent, until := tenant.Agent.ID, time.Now().Add(time.Hour)
	for _, k := range []table.Key{
		table.LoginToken(agent, credential.Digest{1}), table.UnansweredLogin(agent, credential.Digest{2}),
	} {
		login := user.Login{Key: k, User: agent, App: tenant.App.ID, ExpiresAt: until}
		if err := stack.Table.Put(login).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a := stack.NewCategory(t, tenant.Portal, tree.Category{Name: "a"})
	b := stack.NewCategory(t, tenant.Portal, tree.Category{Name: "b", Parent: a})
	stack.NewCategory(t, tenant.Portal, tree.Category{Name: "c", Parent: a, Root: b, Related: []id.ID{a, b}})
	stack.MustBeWhole(t)
	return stack
}

// itemsOf returns the items of a table by their keys.
func itemsOf(t testing.TB, stack *fixture.Stack) table.Items {
	t.Helper()
	items := table.Items{}
	for _, item := range stack.Items(t) {
		items[table.KeyOf(item)] = item
	}
	return items
}

// TestDamageIsNotMadeWorse damages one item after the other, of every kind, and repairs the table. The repair must lose
// nothing else: after the item is put back, the table is what it was.
func TestDamageIsNotMadeWorse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := populated(t)
		whole := itemsOf(t, stack)
		for name, damaged := range map[string]func(dynamo.Item) []dynamo.Item{
			"lost":                    func(dynamo.Item) []dynamo.Item { return []dynamo.Item{nil} },
			"unreadable":              func(item dynamo.Item) []dynamo.Item { return []dynamo.Item{garbled(item)} },
			"an attribute is missing": lacking,
		} {
			// One item after the other, so that a fault can be traced to the item that caused it.
			for k, item := range whole {
				for _, broken := range damaged(item) {
					left := repaired(t, stack, table.Items{k: broken})
					what := fmt.Sprintf("%s: %s with %v", name, k, slices.Sorted(maps.Keys(broken)))
					mustBeBack(t, stack, left, whole, what, k)
				}
			}
		}
	})
}

// TestTwoLossesAreNotMadeWorse loses one item each of any two kinds. The repair may write what follows from the others,
// and deletes nothing: after the two items are put back, the table is what it was.
func TestTwoLossesAreNotMadeWorse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := populated(t)
		whole := itemsOf(t, stack)
		for a, b := range pairs(oneOfEach(t, whole)) {
			left := repaired(t, stack, table.Items{a: nil, b: nil})
			mustBeBack(t, stack, left, whole, fmt.Sprintf("a lost %s and %s", a.Kind(), b.Kind()), a, b)
		}
	})
}

// TestTwoDamagedItemsAreNotMadeWorse damages one item each of any two kinds. The repair must delete neither these nor
// any other item.
func TestTwoDamagedItemsAreNotMadeWorse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := populated(t)
		whole := itemsOf(t, stack)
		for a, b := range pairs(oneOfEach(t, whole)) {
			left := repaired(t, stack, table.Items{a: garbled(whole[a]), b: garbled(whole[b])})
			what := fmt.Sprintf("a damaged %s and %s", a.Kind(), b.Kind())
			for k := range whole {
				if left[k] == nil {
					t.Errorf("of %s is gone: %s", what, k)
				}
			}
			mustBeBack(t, stack, left, whole, what, a, b)
		}
	})
}

// repaired replaces items by damaged ones, deletes those that are nil, and repairs the table. It returns what is left.
func repaired(t testing.TB, stack *fixture.Stack, damaged table.Items) table.Items {
	t.Helper()
	write(t, stack, damaged)
	if _, err := run(t, stack.Table, check.Options{Repair: true}); err != nil {
		t.Fatal(err)
	}
	return itemsOf(t, stack)
}

// mustBeBack checks that a table is what it was when the damaged items are put back, and makes it what it was, so that
// the next case does not start from the damage of this one.
func mustBeBack(t testing.TB, stack *fixture.Stack, left, whole table.Items, what string, damaged ...table.Key) {
	t.Helper()
	back := table.Items{}
	for _, k := range damaged {
		back[k], left[k] = whole[k], whole[k]
	}
	if !reflect.DeepEqual(left, whole) {
		t.Errorf("beside %s there are different: %v", what, difference(left, whole))
		for k := range left {
			back[k] = nil
		}
		maps.Copy(back, whole)
	}
	write(t, stack, back)
}

// write writes items as they are, without any condition, and deletes those that are nil.
func write(t testing.TB, stack *fixture.Stack, items table.Items) {
	t.Helper()
	batch := stack.Table.Batch("PK", "SK").Write()
	for k, item := range items {
		if item == nil {
			batch.Delete(k)
		} else {
			batch.Put(item)
		}
	}
	if _, err := batch.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// oneOfEach returns the key of the last item of each kind. Those of categories are then all of the last category.
func oneOfEach(t testing.TB, whole table.Items) []table.Key {
	t.Helper()
	last := map[string]table.Key{}
	for k := range whole {
		if k.SK > last[k.Kind()].SK {
			last[k.Kind()] = k
		}
	}
	expect.Equal(t, len(last), 16, "kinds")
	return slices.Collect(maps.Values(last))
}

// garbled returns the item with a set of bytes in all attributes but the key: no kind has such an attribute.
func garbled(item dynamo.Item) dynamo.Item {
	broken := maps.Clone(item)
	for name := range broken {
		if name != "PK" && name != "SK" {
			broken[name] = &types.AttributeValueMemberBS{Value: [][]byte{{0}}}
		}
	}
	return broken
}

// lacking returns variants of the item, each without one of the attributes that every item of its kind has. A category
// may have no parent and no root.
func lacking(item dynamo.Item) (broken []dynamo.Item) {
	for name := range item {
		if !slices.Contains([]string{"PK", "SK", "parent", "root"}, name) {
			one := maps.Clone(item)
			delete(one, name)
			broken = append(broken, one)
		}
	}
	return broken
}

// difference returns the kinds of the items that differ.
func difference(a, b table.Items) (kinds []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for k := range all {
		if !reflect.DeepEqual(a[k], b[k]) {
			kinds = append(kinds, k.Kind())
		}
	}
	return kinds
}

// pairs yields each two different keys once.
func pairs(keys []table.Key) iter.Seq2[table.Key, table.Key] {
	return func(yield func(a, b table.Key) bool) {
		for n, a := range keys {
			for _, b := range keys[:n] {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}
