package category_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"
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

// TestCheckBesideBusyClients reports nothing while twenty clients change whatever they can.
func TestCheckBesideBusyClients(t *testing.T) {
	t.Parallel()
	d := open(t)
	var ids []int64
	for i := range 12 {
		ids = append(ids, d.named(t, fmt.Sprintf("c%d", i), nil))
	}
	var stop atomic.Bool
	var changes atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		atOnce(t, 20, func(client int) (last reply, err error) {
			for n := 0; !stop.Load() && err == nil; n++ {
				x, y := ids[(client+n)%len(ids)], ids[(client*5+n*7+1)%len(ids)]
				switch (client + n) % 4 {
				case 0:
					last, err = d.try("PUT", fmt.Sprintf("%s/%d", d.path, x), d.agent, object{"category": object{"parent_category_id": y, "related_category_ids": array{}}})
				case 1:
					last, err = d.try("PUT", fmt.Sprintf("%s/%d", d.path, x), d.agent, object{"category": object{"parent_category_id": nil, "slug": fmt.Sprintf("s-%d-%d", client, n)}})
				case 2:
					last, err = d.try("PUT", fmt.Sprintf("%s/%d", d.path, x), d.agent, object{"category": object{"associated_category_id": y}})
				case 3:
					last, err = d.try("POST", d.path, d.agent, object{"category": object{"name": "n", "slug": fmt.Sprintf("t-%d-%d", client, n), "parent_category_id": x}})
					if err == nil && last.HTTP == 200 {
						last, err = d.try("DELETE", fmt.Sprintf("%s/%d", d.path, idOf(last.Body["payload"])), d.agent, nil)
					}
				}
				if last.HTTP == 200 {
					changes.Add(1)
				}
			}
			return last, err
		})
	}()
	for n := 0; n < 15 || changes.Load() < 300; n++ {
		report, err := check.Run(context.Background(), d.table, integrity.Rules, false, func(int) {})
		if err != nil {
			t.Error(err)
		}
		for _, f := range report.Faults {
			t.Errorf("reported: %s", f.What)
		}
	}
	stop.Store(true)
	<-done
	d.mustBeWhole(t)
}
