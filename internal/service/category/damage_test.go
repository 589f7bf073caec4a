package category_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/tree"
)

// handbook is a small tree of categories: b and c are below a. c is also related to b, and its root is a.
type handbook struct {
	*fixture.Stack
	portal  table.Portal
	a, b, c id.ID
}

func newHandbook(t testing.TB) *handbook {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tr := &handbook{Stack: stack, portal: stack.NewPortal(t, 1, "handbook", "en")}
	tr.a = tr.create(t, tree.Category{Name: "a"})
	tr.b = tr.create(t, tree.Category{Name: "b", Parent: tr.a})
	tr.c = tr.create(t, tree.Category{Name: "c", Parent: tr.a, Root: tr.a, Related: []id.ID{tr.b}})
	return tr
}

func (tr *handbook) create(t testing.TB, c tree.Category) id.ID {
	t.Helper()
	return tr.NewCategory(t, tr.portal, c)
}

// check checks the table. With repair it also repairs.
func (tr *handbook) check(t testing.TB, repair bool) check.Report {
	t.Helper()
	return tr.Check(t, check.Options{Repair: repair, Pause: time.Millisecond})
}

// write is a write that damages the table.
type write interface{ Run(context.Context) error }

func (tr *handbook) put(k table.Key, fields object) write {
	item := object{"PK": k.PK, "SK": k.SK}
	maps.Copy(item, fields)
	return tr.Table.Put(item)
}

func (tr *handbook) remove(k table.Key) write {
	return tr.Table.DeleteItem(k).If("attribute_exists(PK)")
}

func (tr *handbook) set(k table.Key, name string, value any) write {
	return tr.Table.UpdateItem(k).Set(name, value).If("attribute_exists(PK)")
}

// TestDamageIsReportedAndMended does one kind of damage in each case. The check reports it, and the repair mends it
// unless the case says unmended: there, a repair would have to invent data or delete the last trace of some.
func TestDamageIsReportedAndMended(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			damage   func(*handbook) write
			want     string // in one of the reports
			unmended bool
		}{
			"a slug owner is gone": {
				damage: func(tr *handbook) write { return tr.remove(tr.portal.SlugOwner("en", "a")) },
				want:   "lacks its slug owner",
			},
			"a slug owner without its category": {
				damage: func(tr *handbook) write {
					return tr.put(tr.portal.SlugOwner("en", "ghost"), object{"category": 4711})
				},
				want:     `"CATEGORY#0000000000004711", which does not exist`,
				unmended: true,
			},
			"a slug owner of a category with another slug": {
				damage: func(tr *handbook) write {
					return tr.put(tr.portal.SlugOwner("en", "old"), object{"category": tr.a})
				},
				want: "which does not have it",
			},
			// Nobody knows which of the two is right, so an operator has to decide.
			"two categories with one slug": {
				damage:   func(tr *handbook) write { return tr.set(tr.portal.Category(tr.a), "slug", "b") },
				want:     "which does not name it",
				unmended: true,
			},
			"a category in a locale that the portal never had": {
				damage: func(tr *handbook) write { return tr.set(tr.portal.Category(tr.a), "locale", "xx") },
				want:   `lacks "LOCALE#xx", which other items name`,
			},
			"an index item is gone": {
				damage: func(tr *handbook) write { return tr.remove(tr.portal.IndexItem(tr.a, "SUB", tr.b)) },
				want:   "lacks its index item",
			},
			"an index item of a link that is not there": {
				damage: func(tr *handbook) write {
					fields := object{"target": tr.b, "kind": "ASSOC", "source": tr.a}
					return tr.put(tr.portal.IndexItem(tr.b, "ASSOC", tr.a), fields)
				},
				want: "which does not have it",
			},
			"an index item from nowhere": {
				damage: func(tr *handbook) write {
					fields := object{"target": tr.b, "kind": "SUB", "source": 4711}
					return tr.put(tr.portal.IndexItem(tr.b, "SUB", 4711), fields)
				},
				want:     `"CATEGORY#0000000000004711", which does not exist`,
				unmended: true,
			},
			"a root is gone from its category": {
				damage: func(tr *handbook) write {
					return tr.Table.UpdateItem(tr.portal.Category(tr.c)).Remove("root")
				},
				want: "which does not have it",
			},
			// Its claim is left. It may be the last trace.
			"a category that is gone": {
				damage:   func(tr *handbook) write { return tr.remove(tr.portal.Category(tr.a)) },
				want:     "which does not exist",
				unmended: true,
			},
			"a circle": {
				damage:   func(tr *handbook) write { return tr.set(tr.portal.Category(tr.a), "parent", tr.b) },
				want:     "is above itself, over 2 levels",
				unmended: true,
			},
			"a circle of one": {
				damage:   func(tr *handbook) write { return tr.set(tr.portal.Category(tr.a), "parent", tr.a) },
				want:     "is above itself, over 1 levels",
				unmended: true,
			},
			"a portal that is gone": {
				damage:   func(tr *handbook) write { return tr.remove(tr.portal.Key()) },
				want:     "does not exist, and other items name it",
				unmended: true,
			},
			"a category that cannot be read": {
				damage: func(tr *handbook) write {
					return tr.set(tr.portal.Category(tr.a), "related", []string{"x"})
				},
				want:     "category cannot be read: damaged attributes: related",
				unmended: true,
			},
			// The key and the id differ. Either may be wrong.
			"a category that says it is another": {
				damage:   func(tr *handbook) write { return tr.set(tr.portal.Category(tr.a), "id", 4711) },
				want:     "says that it is the category of",
				unmended: true,
			},
			"an index item that says it is another": {
				damage: func(tr *handbook) write {
					fields := object{"target": tr.a, "kind": "SUB", "source": tr.b}
					return tr.put(tr.portal.IndexItem(tr.c, "SUB", tr.b), fields)
				},
				want: "says that it is the index item of",
			},
			"an item of no kind": {
				damage:   func(tr *handbook) write { return tr.put(table.Key{PK: "WHAT#1", SK: "EVER"}, nil) },
				want:     `"WHAT#1"/"EVER": is of no known kind`,
				unmended: true,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tr := newHandbook(t)
				tr.MustBeWhole(t)
				if err := c.damage(tr).Run(t.Context()); err != nil {
					t.Fatal(err)
				}

				// A check without repair must not write, and a repair must leave nothing to report, unless the case
				// says unmended.
				report := tr.check(t, false)
				wanted := func(f check.Fault) bool { return strings.Contains(f.What, c.want) }
				if !slices.ContainsFunc(report.Faults, wanted) {
					t.Errorf("reported %+v, want %q", report.Faults, c.want)
				}
				if report.Unmended() != len(report.Faults) {
					t.Errorf("without repair something was mended: %+v", report.Faults)
				}
				repaired := tr.check(t, true)
				if (repaired.Unmended() > 0) != c.unmended {
					t.Errorf("repaired: %+v", repaired.Faults)
				}
				if !c.unmended {
					tr.MustBeWhole(t)
				}
			})
		}
	})
}

// TestALinkToWhatIsGoneIsNoFault deletes a category that others have as their parent, their root and a related one.
func TestALinkToWhatIsGoneIsNoFault(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		tr := newHandbook(t)
		for _, category := range []id.ID{tr.a, tr.b} {
			var r changeset.Record
			items, err := tr.Table.Read(t.Context(), tr.portal.Category(category))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := items.Get(tr.portal.Category(category), &r); err != nil {
				t.Fatal(err)
			}
			cs := changeset.New(tr.Table, tr.portal)
			cs.Delete(r)
			if err := cs.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			tr.MustBeWhole(t)
		}
	})
}

// TestACategoryIsMendedFromItsRecord removes all items of a category but its record. The repair writes them again,
// equal in every attribute.
func TestACategoryIsMendedFromItsRecord(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		tr := newHandbook(t)
		var related []id.ID
		for i := range 12 {
			related = append(related, tr.create(t, tree.Category{Name: strings.Repeat("r", i+1)}))
		}
		links := tree.Category{Name: "x", Parent: related[0], Root: related[0], Related: related}
		x := tr.create(t, links)
		whole := tr.Items(t)
		lost := []table.Key{
			tr.portal.SlugOwner("en", "x"), tr.portal.IndexItem(related[0], "SUB", x),
			tr.portal.IndexItem(related[0], "ASSOC", x),
		}
		for _, k := range lost {
			if err := tr.remove(k).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		report := tr.check(t, true)
		expect.AtMost(t, report.Unmended(), 0)
		expect.AtLeast(t, len(report.Faults), len(lost))
		if now := tr.Items(t); !reflect.DeepEqual(now, whole) {
			t.Errorf("%v, want %v", now, whole)
		}
	})
}
