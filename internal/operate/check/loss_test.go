package check_test

import (
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
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/tree"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// populated returns a table with items of every kind that belongs to others: a tenant whose agent has tokens of each
// kind, and three categories with links of each kind.
func populated(t *testing.T) *fixture.Stack {
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
func itemsOf(t *testing.T, stack *fixture.Stack) table.Items {
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
	for name, damaged := range map[string]func(dynamo.Item) []dynamo.Item{
		"lost":                    func(dynamo.Item) []dynamo.Item { return []dynamo.Item{nil} },
		"unreadable":              func(item dynamo.Item) []dynamo.Item { return []dynamo.Item{garbled(item)} },
		"an attribute is missing": lacking,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := populated(t)
			whole := itemsOf(t, stack)
			// One item after the other, so that a fault can be traced to the item that caused it.
			for k, item := range whole {
				for _, broken := range damaged(item) {
					damage(t, stack, item, broken)
					repair(t, stack)
					put(t, stack, item)
					if now := itemsOf(t, stack); !reflect.DeepEqual(now, whole) {
						has := slices.Sorted(maps.Keys(broken))
						t.Errorf("beside %s with %v there are different: %v", k, has, difference(now, whole))
						restore(t, stack, whole)
					}
				}
			}
		})
	}
}

// TestTwoLossesAreNotMadeWorse loses one item each of any two kinds. The repair may write what follows from the others,
// and deletes nothing: after the two items are put back, the table is what it was.
func TestTwoLossesAreNotMadeWorse(t *testing.T) {
	t.Parallel()
	stack := populated(t)
	whole := itemsOf(t, stack)
	kinds := oneOfEach(t, whole)
	for a, b := range pairs(kinds) {
		lose(t, stack, kinds[a])
		lose(t, stack, kinds[b])
		repair(t, stack)
		put(t, stack, kinds[a], kinds[b])
		if now := itemsOf(t, stack); !reflect.DeepEqual(now, whole) {
			t.Errorf("beside a lost %s and %s there are different: %v", a, b, difference(now, whole))
			restore(t, stack, whole)
		}
	}
}

// TestTwoDamagedItemsAreNotMadeWorse damages one item each of any two kinds. The repair must delete neither these nor
// any other item.
func TestTwoDamagedItemsAreNotMadeWorse(t *testing.T) {
	t.Parallel()
	stack := populated(t)
	whole := itemsOf(t, stack)
	kinds := oneOfEach(t, whole)
	for a, b := range pairs(kinds) {
		damage(t, stack, kinds[a], garbled(kinds[a]))
		damage(t, stack, kinds[b], garbled(kinds[b]))
		before := itemsOf(t, stack)
		repair(t, stack)
		left := itemsOf(t, stack)
		for k := range before {
			if left[k] == nil {
				t.Errorf("of a damaged %s and %s is gone: %s", a, b, k)
			}
		}
		put(t, stack, kinds[a], kinds[b])
		if now := itemsOf(t, stack); !reflect.DeepEqual(now, whole) {
			t.Errorf("beside a damaged %s and %s there are different: %v", a, b, difference(left, whole))
			restore(t, stack, whole)
		}
	}
}

// oneOfEach returns the last item of each kind. Items that belong to categories are then all of the last category.
func oneOfEach(t *testing.T, whole table.Items) map[string]dynamo.Item {
	t.Helper()
	kinds := map[string]dynamo.Item{}
	for _, item := range whole {
		k := table.KeyOf(item)
		if last := kinds[k.Kind()]; last == nil || table.KeyOf(last).SK < k.SK {
			kinds[k.Kind()] = item
		}
	}
	if len(kinds) != 16 {
		t.Errorf("there are items of %d kinds", len(kinds))
	}
	return kinds
}

// repair checks and repairs a table.
func repair(t *testing.T, stack *fixture.Stack) {
	t.Helper()
	if _, err := run(t, stack.Table, check.Options{Repair: true}); err != nil {
		t.Fatal(err)
	}
}

// damage replaces an item by a damaged one, or deletes it if that is nil.
func damage(t *testing.T, stack *fixture.Stack, item, damaged dynamo.Item) {
	t.Helper()
	lose(t, stack, item)
	if damaged != nil {
		put(t, stack, damaged)
	}
}

// lose deletes an item, which must exist.
func lose(t *testing.T, stack *fixture.Stack, item dynamo.Item) {
	t.Helper()
	err := stack.Table.DeleteItem(table.KeyOf(item)).If("attribute_exists(PK)").Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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

// restore makes the table what it was, so that the next case does not start from the damage of this one.
func restore(t *testing.T, stack *fixture.Stack, whole table.Items) {
	t.Helper()
	for k, item := range itemsOf(t, stack) {
		if whole[k] == nil {
			lose(t, stack, item)
		}
	}
	put(t, stack, slices.Collect(maps.Values(whole))...)
}

// put writes items as they are, without any condition.
func put(t *testing.T, stack *fixture.Stack, items ...dynamo.Item) {
	t.Helper()
	for _, item := range items {
		if err := stack.Table.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
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

// pairs yields each two different kinds once.
func pairs(kinds map[string]dynamo.Item) iter.Seq2[string, string] {
	return func(yield func(a, b string) bool) {
		names := slices.Sorted(maps.Keys(kinds))
		for n, a := range names {
			for _, b := range names[:n] {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}
