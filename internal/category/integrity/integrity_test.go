package integrity_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

type (
	object = fixture.Object
	desk   struct {
		table  table.Table
		portal table.Portal
	}
)

func open(t *testing.T) *desk {
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	return &desk{stack.Table, stack.NewPortal(t, 1, "handbook", "en")}
}

// create makes a category with its name as its slug.
func (d *desk) create(t *testing.T, c changeset.Category) id.ID {
	t.Helper()
	c.ID, c.Slug, c.Locale = id.New(), c.Name, "en"
	cs := changeset.New(d.table, d.portal)
	cs.Create(c)
	if err := cs.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func (d *desk) mustBeWhole(t *testing.T) {
	t.Helper()
	for _, f := range d.check(t, false).Faults {
		t.Errorf("broken: %s", f.What)
	}
}

func (d *desk) check(t *testing.T, repair bool) check.Report {
	t.Helper()
	report, err := check.Run(t.Context(), d.table, append(slices.Clone(integrity.Rules), check.Unknown), repair, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// put, drop and set damage a table by hand.
func (d *desk) put(t *testing.T, k table.Key, fields object) {
	t.Helper()
	item := object{"PK": k.PK, "SK": k.SK}
	for name, value := range fields {
		item[name] = value
	}
	if err := d.table.Put(item).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) drop(t *testing.T, k table.Key) {
	t.Helper()
	if err := d.table.Delete("PK", k.PK).Range("SK", k.SK).If("attribute_exists(PK)").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) set(t *testing.T, k table.Key, name string, value any) {
	t.Helper()
	if err := d.table.Update("PK", k.PK).Range("SK", k.SK).Set(name, value).If("attribute_exists(PK)").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestDamageIsReportedAndMended does one kind of damage each to a small tree.
func TestDamageIsReportedAndMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage   func(t *testing.T, d *desk, a, b, c id.ID) // b and c are under a, c is related to b and has root a
		want     string                                     // in one of the reports
		unmended bool
	}{
		"a slug owner is gone": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.drop(t, d.portal.SlugOwner("en", "a")) },
			"which belongs to nobody", false},
		"a slug owner without its category": {func(t *testing.T, d *desk, _, _, _ id.ID) {
			d.put(t, d.portal.SlugOwner("en", "ghost"), object{"category": 4711})
		},
			"en#ghost of portal handbook of account 1 belongs to category 4711, which does not have it", false},
		"a slug owner of a category with another slug": {func(t *testing.T, d *desk, a, _, _ id.ID) {
			d.put(t, d.portal.SlugOwner("en", "old"), object{"category": a})
		},
			"which does not have it", false},
		"two categories with one slug": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "slug", "b") },
			"which belongs to category", true},
		"an incoming link is gone": {func(t *testing.T, d *desk, a, b, _ id.ID) { d.drop(t, d.portal.Ref(a, table.Sub, b)) },
			"(SUB), which has no record of it", false},
		"an incoming link without its outgoing one": {func(t *testing.T, d *desk, a, b, _ id.ID) {
			d.put(t, d.portal.Ref(b, table.Related, a), object{"target": b, "kind": "RELATED", "source": a})
		}, "recorded that does not go out from there", false},
		"an incoming link from nowhere": {func(t *testing.T, d *desk, _, b, _ id.ID) {
			d.put(t, d.portal.Ref(b, table.Sub, 4711), object{"target": b, "kind": "SUB", "source": 4711})
		}, "recorded that does not go out from there", false},
		"an outgoing link is gone": {func(t *testing.T, d *desk, _, _, c id.ID) {
			k := d.portal.Category(c)
			if err := d.table.Update("PK", k.PK).Range("SK", k.SK).Remove("root").Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, "recorded that does not go out from there", false},
		"a count too high": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "incoming", 9) },
			"counts 9 incoming links and has 3", false},
		"a count too low": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "incoming", 0) },
			"counts 0 incoming links and has 3", false},
		"a link to nothing": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "parent", 4711) },
			"(SUB), which does not exist", false},
		"a category that is gone": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.drop(t, d.portal.Category(a)) },
			"which does not exist", false},
		"a circle": {func(t *testing.T, d *desk, a, b, _ id.ID) { d.set(t, d.portal.Category(a), "parent", b) },
			"is its own ancestor, over 2 levels", false},
		"a circle of one": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "parent", a) },
			"is its own ancestor, over 1 levels", false},
		"a member who is no user": {func(t *testing.T, d *desk, _, _, _ id.ID) { d.put(t, d.portal.Member(4711), object{"user": 4711}) },
			"user 4711 is a member of portal handbook of account 1 and does not exist", false},
		"a portal that is gone": {func(t *testing.T, d *desk, _, _, _ id.ID) { d.drop(t, d.portal.Key()) },
			"is in portal handbook of account 1, which does not exist", true},
		"a category that cannot be read": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "related", []string{"x"}) },
			"cannot be read as a category", true},
		"a category that says it is another": {func(t *testing.T, d *desk, a, _, _ id.ID) { d.set(t, d.portal.Category(a), "id", 4711) },
			"says that it is the category of", true},
		"an incoming link that says it is another": {func(t *testing.T, d *desk, a, b, c id.ID) {
			d.put(t, d.portal.Ref(c, table.Sub, b), object{"target": a, "kind": "SUB", "source": b})
		}, "says that it is the incoming link of", false},
		"an item of no kind": {func(t *testing.T, d *desk, _, _, _ id.ID) { d.put(t, table.Key{PK: "WHAT#1", SK: "EVER"}, nil) },
			`"WHAT#1"/"EVER" is of no known kind`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			a := d.create(t, changeset.Category{Name: "a"})
			b := d.create(t, changeset.Category{Name: "b", Parent: a})
			e := d.create(t, changeset.Category{Name: "c", Parent: a, Root: a, Related: []id.ID{b}})
			d.mustBeWhole(t)
			c.damage(t, d, a, b, e)

			report := d.check(t, false)
			if !slices.ContainsFunc(report.Faults, func(f check.ReportedFault) bool { return strings.Contains(f.What, c.want) }) {
				t.Errorf("reported %+v, want %q", report.Faults, c.want)
			}
			if report.Unmended() != len(report.Faults) {
				t.Errorf("without repair something was mended: %+v", report.Faults)
			}
			repaired := d.check(t, true)
			if (repaired.Unmended() > 0) != c.unmended {
				t.Errorf("repaired: %+v", repaired.Faults)
			}
			if !c.unmended {
				d.mustBeWhole(t)
			}
		})
	}
}

// TestEveryFaultOfOneCategoryIsMended in one run, though each repair changes its record.
func TestEveryFaultOfOneCategoryIsMended(t *testing.T) {
	t.Parallel()
	d := open(t)
	var related []id.ID
	for i := range 12 {
		related = append(related, d.create(t, changeset.Category{Name: strings.Repeat("r", i+1)}))
	}
	x := d.create(t, changeset.Category{Name: "x", Parent: related[0], Root: related[0], Related: related})
	for _, r := range related {
		d.drop(t, d.portal.Category(r))
	}
	if report := d.check(t, true); report.Unmended() > 0 || len(report.Faults) < 14 {
		t.Errorf("repaired %d, %d unmended", len(report.Faults), report.Unmended())
	}
	d.mustBeWhole(t)
	items, err := d.table.Read(t.Context(), d.portal.Category(x))
	if err != nil {
		t.Fatal(err)
	}
	var r changeset.Record
	if found, err := items.Get(d.portal.Category(x), &r); !found || err != nil || len(r.Category().Links()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
