package category_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// TestATornScanIsNoFault: a scan that a change comes into has some items of before and others of after. It
// mixes the two by kind, both ways, for each kind of change, and looks at them when the change is done.
func TestATornScanIsNoFault(t *testing.T) {
	t.Parallel()
	d := open(t)
	a, b := d.named(t, "a", nil), d.named(t, "b", nil)
	x := d.named(t, "old", object{"parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a}})
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"a new slug", func() { d.update(t, x, object{"slug": "new"}) }},
		{"a new locale", func() { d.update(t, x, object{"locale": "fr"}) }},
		{"a new parent", func() { d.update(t, x, object{"parent_category_id": b}) }},
		{"new links", func() {
			d.update(t, x, object{"parent_category_id": nil, "associated_category_id": b, "related_category_ids": array{b}})
		}},
		{"a new category", func() { d.named(t, "c", object{"parent_category_id": x}) }},
		{"a category less", func() { d.delete(t, x) }},
		{"a new member", func() { d.newMember(t, d.portal) }},
	} {
		before := d.everything(t)
		c.change()
		after := d.everything(t)
		for _, kind := range []string{table.Categories, table.Slugs, table.Refs, table.Members, "TREE", "PORTAL", "USER"} {
			for name, torn := range map[string]table.Items{"early": mix(before, after, kind), "late": mix(after, before, kind)} {
				for _, f := range d.judge(t, torn) {
					t.Errorf("%s, with %s read %s: %s", c.name, kind, name, f.What)
				}
			}
		}
	}
	d.mustBeWhole(t)
}

func (d *desk) everything(t *testing.T) table.Items {
	t.Helper()
	items, err := d.table.ReadAll(t.Context(), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// mix takes the items of one kind from one state of a table, and all others from the other one.
func mix(kind, others table.Items, prefix string) table.Items {
	mixed := maps.Clone(others)
	maps.DeleteFunc(mixed, func(k table.Key, _ dynamo.Item) bool { return strings.HasPrefix(k.SK, prefix) })
	for k, item := range kind {
		if strings.HasPrefix(k.SK, prefix) {
			mixed[k] = item
		}
	}
	return mixed
}

// judge is what the rules say of items, once each candidate has looked again.
func (d *desk) judge(t *testing.T, items table.Items) (faults []*check.Fault) {
	t.Helper()
	for _, rule := range slices.Concat(integrity.Rules, []check.Rule{check.Unknown}) {
		for _, candidate := range rule(items) {
			fault, err := candidate(t.Context(), d.table)
			if err != nil {
				t.Fatal(err)
			}
			if fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

// TestEveryFaultOfOneCategoryIsMended in one run, though each repair changes its record.
func TestEveryFaultOfOneCategoryIsMended(t *testing.T) {
	t.Parallel()
	d := open(t)
	var related array
	for i := range 12 {
		related = append(related, d.named(t, strings.Repeat("r", i+1), nil))
	}
	x := d.named(t, "x", object{"related_category_ids": related, "parent_category_id": related[0], "associated_category_id": related[0]})
	for _, r := range related {
		d.drop(t, d.portal.Category(id.ID(r.(int64))))
	}
	if report := d.check(t, true); report.Unmended() > 0 || len(report.Faults) < 14 {
		t.Errorf("repaired %d, %d unmended", len(report.Faults), report.Unmended())
	}
	d.mustBeWhole(t)
	if c := d.get(t, x); c["parent_category"] != nil || len(c["related_categories"].(array)) != 0 {
		t.Errorf("%v", c)
	}
}
