package check_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/credential"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// populated is a table with items of every kind that others belong to: a tenant, whose agent has tokens of each kind,
// and three categories with links of each kind.
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
	a := stack.NewCategory(t, tenant.Portal, changeset.Category{Name: "a"})
	b := stack.NewCategory(t, tenant.Portal, changeset.Category{Name: "b", Parent: a})
	stack.NewCategory(t, tenant.Portal, changeset.Category{Name: "c", Parent: a, Root: b, Related: []id.ID{a, b}})
	stack.MustBeWhole(t)
	return stack
}

// itemsOf are the items of a table by their keys.
func itemsOf(t *testing.T, stack *fixture.Stack) table.Items {
	t.Helper()
	items := table.Items{}
	for _, item := range stack.Items(t) {
		items[table.KeyOf(item)] = item
	}
	return items
}

// TestDamageIsNotMadeWorse damages one item after the other, of every kind. Whatever a repair does then, all else is
// still there: with the item put back the table is what it was.
func TestDamageIsNotMadeWorse(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, stack *fixture.Stack, item dynamo.Item){
		"lost":       lose,
		"unreadable": garble,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := populated(t)
			whole := itemsOf(t, stack)
			for k, item := range whole {
				damage(t, stack, item)
				repair(t, stack)
				left := itemsOf(t, stack)
				put(t, stack, item)
				if now := itemsOf(t, stack); !reflect.DeepEqual(now, whole) {
					t.Errorf("beside %s there are different: %v", k, difference(left, whole))
					put(t, stack, slices.Collect(maps.Values(whole))...)
				}
			}
		})
	}
}

// TestTwoLossesAreUndone loses two items of any two kinds. What a repair deletes or overwrites then is in its file:
// with that put back, and the two items too, the table is what it was.
func TestTwoLossesAreUndone(t *testing.T) {
	t.Parallel()
	stack := populated(t)
	whole := itemsOf(t, stack)
	kinds := map[string]dynamo.Item{}
	for _, item := range stack.Items(t) {
		kinds[table.KeyOf(item).Kind()] = item
	}
	if len(kinds) != 17 {
		t.Errorf("there are items of %d kinds", len(kinds))
	}
	names := slices.Sorted(maps.Keys(kinds))
	for n, a := range names {
		for _, b := range names[:n] {
			lose(t, stack, kinds[a])
			lose(t, stack, kinds[b])
			saved, report := repair(t, stack)
			if report.Saved > 0 {
				if r, err := check.PutBack(t.Context(), stack.Table, saved); err != nil || len(r.Left) > 0 {
					t.Errorf("a lost %s and %s: put back %+v, %v", a, b, r, err)
				}
			}
			left := itemsOf(t, stack)
			put(t, stack, kinds[a], kinds[b])
			if now := itemsOf(t, stack); !reflect.DeepEqual(now, whole) {
				t.Errorf("beside a lost %s and %s there are different: %v", a, b, difference(left, whole))
				put(t, stack, slices.Collect(maps.Values(whole))...)
			}
		}
	}
}

// repair checks and repairs a table, and gives the file of what was lost by it.
func repair(t *testing.T, stack *fixture.Stack) (saved string, report check.Report) {
	t.Helper()
	saved = filepath.Join(t.TempDir(), "saved")
	report, err := run(t, stack.Table, check.Options{Repair: saved})
	if err != nil {
		t.Fatal(err)
	}
	return saved, report
}

func lose(t *testing.T, stack *fixture.Stack, item dynamo.Item) {
	t.Helper()
	err := stack.Table.DeleteItem(table.KeyOf(item)).If("attribute_exists(PK)").Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
}

// garble gives every attribute of an item, but its key, a value that no kind has.
func garble(t *testing.T, stack *fixture.Stack, item dynamo.Item) {
	t.Helper()
	garbled := maps.Clone(item)
	for name := range garbled {
		if name != "PK" && name != "SK" {
			garbled[name] = &types.AttributeValueMemberBS{Value: [][]byte{{0}}}
		}
	}
	put(t, stack, garbled)
}

func put(t *testing.T, stack *fixture.Stack, items ...dynamo.Item) {
	t.Helper()
	for _, item := range items {
		if err := stack.Table.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// difference are the kinds of the items that are not the same in both.
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
