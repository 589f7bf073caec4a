package integrity_test

import (
	"context"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

type object = fixture.Object

// tree is a small tree of categories: b and c are below a. c is also related to b, and its root is a.
type tree struct {
	*fixture.Stack
	portal  table.Portal
	a, b, c id.ID
}

func newTree(t *testing.T) *tree {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tr := &tree{Stack: stack, portal: stack.NewPortal(t, 1, "handbook", "en")}
	tr.a = tr.create(t, changeset.Category{Name: "a"})
	tr.b = tr.create(t, changeset.Category{Name: "b", Parent: tr.a})
	tr.c = tr.create(t, changeset.Category{Name: "c", Parent: tr.a, Root: tr.a, Related: []id.ID{tr.b}})
	return tr
}

func (tr *tree) create(t *testing.T, c changeset.Category) id.ID {
	t.Helper()
	return tr.NewCategory(t, tr.portal, c)
}

// check runs the rules for portals, and the one for unknown items. With repair it also repairs.
func (tr *tree) check(t *testing.T, repair bool) check.Report {
	t.Helper()
	rules := append(slices.Clone(integrity.Rules), check.Unknown)
	o := check.Options{}
	if repair {
		o.Repair = filepath.Join(t.TempDir(), "saved")
	}
	report, err := check.Run(t.Context(), tr.Table, rules, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// write is a write that damages the table.
type write interface{ Run(context.Context) error }

func (tr *tree) put(k table.Key, fields object) write {
	item := object{"PK": k.PK, "SK": k.SK}
	maps.Copy(item, fields)
	return tr.Table.Put(item)
}

func (tr *tree) remove(k table.Key) write { return tr.Table.DeleteItem(k).If("attribute_exists(PK)") }

func (tr *tree) set(k table.Key, name string, value any) write {
	return tr.Table.UpdateItem(k).Set(name, value).If("attribute_exists(PK)")
}

// TestDamageIsReportedAndMended does one kind of damage in each case. The check reports it, and the repair mends it
// unless the case says unmended: there, a repair would have to invent data or delete the last trace of some.
func TestDamageIsReportedAndMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage   func(*tree) write
		want     string // in one of the reports
		unmended bool
	}{
		"a slug owner is gone": {
			damage: func(tr *tree) write { return tr.remove(tr.portal.SlugOwner("en", "a")) },
			want:   "which belongs to nobody",
		},
		"a slug owner without its category": {
			damage: func(tr *tree) write {
				return tr.put(tr.portal.SlugOwner("en", "ghost"), object{"category": 4711})
			},
			want:     "slug en#ghost of portal handbook of account 1 belongs to category 4711, which does not exist",
			unmended: true,
		},
		"a slug owner of a category with another slug": {
			damage: func(tr *tree) write { return tr.put(tr.portal.SlugOwner("en", "old"), object{"category": tr.a}) },
			want:   "which does not have it",
		},
		// Nobody knows which of the two is right, so an operator has to decide.
		"two categories with one slug": {
			damage:   func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "slug", "b") },
			want:     "which belongs to category",
			unmended: true,
		},
		"a place in the list is gone": {
			damage: func(tr *tree) write { return tr.remove(tr.portal.Order("en", nil, tr.a)) },
			want:   "has no place in the list of its locale",
		},
		// It may be the last trace of a lost category.
		"a place in the list of no category": {
			damage: func(tr *tree) write {
				return tr.put(tr.portal.Order("en", nil, 4711), object{"category": 4711})
			},
			want:     "the list of en of portal handbook of account 1 has category 4711, which does not exist",
			unmended: true,
		},
		"a category at another place": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "position", 7) },
			want:   "where it is not",
		},
		"a category in a locale that the portal never had": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "locale", "xx") },
			want:   "is in xx, which the portal never had",
		},
		"a place in the list that says it is another": {
			damage: func(tr *tree) write {
				return tr.put(tr.portal.Order("en", nil, tr.a), object{"category": tr.a, "position": 7})
			},
			want: "says that it is the place in the list of",
		},
		"an incoming link is gone": {
			damage: func(tr *tree) write { return tr.remove(tr.portal.Ref(tr.a, table.Sub, tr.b)) },
			want:   "(SUB), which has no record of it",
		},
		"an incoming link without its outgoing one": {
			damage: func(tr *tree) write {
				fields := object{"target": tr.b, "kind": "RELATED", "source": tr.a}
				return tr.put(tr.portal.Ref(tr.b, table.Related, tr.a), fields)
			},
			want: "recorded that does not go out from there",
		},
		"an incoming link from nowhere": {
			damage: func(tr *tree) write {
				fields := object{"target": tr.b, "kind": "SUB", "source": 4711}
				return tr.put(tr.portal.Ref(tr.b, table.Sub, 4711), fields)
			},
			want:     "has a link from 4711 (SUB) recorded, which does not exist",
			unmended: true,
		},
		"an outgoing link is gone": {
			damage: func(tr *tree) write { return tr.Table.UpdateItem(tr.portal.Category(tr.c)).Remove("root") },
			want:   "recorded that does not go out from there",
		},
		"a count too high": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "incoming", 9) },
			want:   "counts 9 incoming links and has 3",
		},
		"a count too low": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "incoming", 0) },
			want:   "counts 0 incoming links and has 3",
		},
		"a link to nothing": {
			damage:   func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "parent", 4711) },
			want:     "(SUB), which does not exist",
			unmended: true,
		},
		"a category that is gone": {
			damage:   func(tr *tree) write { return tr.remove(tr.portal.Category(tr.a)) },
			want:     "which does not exist",
			unmended: true,
		},
		"a circle": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "parent", tr.b) },
			want:   "is its own ancestor, over 2 levels",
		},
		// A category that is its own parent changes its own record twice: the link and the count.
		"a circle of one": {
			damage: func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "parent", tr.a) },
			want:   "is its own ancestor, over 1 levels",
		},
		"a portal that is gone": {
			damage:   func(tr *tree) write { return tr.remove(tr.portal.Key()) },
			want:     "is in portal handbook of account 1, which does not exist",
			unmended: true,
		},
		"a category that cannot be read": {
			damage:   func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "related", []string{"x"}) },
			want:     "category cannot be read: damaged attributes: related",
			unmended: true,
		},
		// The key and the id differ. Either may be wrong.
		"a category that says it is another": {
			damage:   func(tr *tree) write { return tr.set(tr.portal.Category(tr.a), "id", 4711) },
			want:     "says that it is the category of",
			unmended: true,
		},
		"an incoming link that says it is another": {
			damage: func(tr *tree) write {
				fields := object{"target": tr.a, "kind": "SUB", "source": tr.b}
				return tr.put(tr.portal.Ref(tr.c, table.Sub, tr.b), fields)
			},
			want: "says that it is the incoming link of",
		},
		"an item of no kind": {
			damage:   func(tr *tree) write { return tr.put(table.Key{PK: "WHAT#1", SK: "EVER"}, nil) },
			want:     `"WHAT#1"/"EVER" is of no known kind`,
			unmended: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			tr.MustBeWhole(t)
			if err := c.damage(tr).Run(t.Context()); err != nil {
				t.Fatal(err)
			}

			// A check without repair must not write, and a repair must leave nothing to report, unless the case
			// says unmended.
			report := tr.check(t, false)
			wanted := func(f check.ReportedFault) bool { return strings.Contains(f.What, c.want) }
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
}

// TestACategoryIsMendedFromItsRecord removes all items of a category but its record. The repair writes them again,
// equal in every attribute.
func TestACategoryIsMendedFromItsRecord(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	var related []id.ID
	for i := range 12 {
		related = append(related, tr.create(t, changeset.Category{Name: strings.Repeat("r", i+1)}))
	}
	links := changeset.Category{Name: "x", Parent: related[0], Root: related[0], Related: related}
	x := tr.create(t, links)
	whole := tr.Items(t)
	lost := []table.Key{tr.portal.SlugOwner("en", "x"), tr.portal.Order("en", nil, x)}
	for _, l := range links.Links() {
		lost = append(lost, tr.portal.Ref(l.Target, l.Kind, x))
	}
	for _, k := range lost {
		if err := tr.remove(k).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	report := tr.check(t, true)
	expect.AtMost(t, "report.Unmended()", report.Unmended(), 0)
	expect.AtLeast(t, "len(report.Faults)", len(report.Faults), len(lost))
	if now := tr.Items(t); !reflect.DeepEqual(now, whole) {
		t.Errorf("%v, want %v", now, whole)
	}
}
