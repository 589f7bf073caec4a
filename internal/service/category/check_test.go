package category_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/guregu/dynamo/v2"
)

// TestATornScanIsNoFault shows that the check tells a torn scan from damage. A scan beside a change reads some items
// before it and others after it. For each kind of change and each kind of item, the test builds both mixtures of the
// table before and after, and lets the check confirm what looks broken. A scan of DynamoDB is no snapshot, so this
// happens on any busy table.
func TestATornScanIsNoFault(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		a, b := p.create(t, "a", nil), p.create(t, "b", nil)
		x := p.create(t, "old", object{
			"parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a},
		})
		links := object{"parent_category_id": nil, "associated_category_id": b, "related_category_ids": array{b}}
		kinds := []string{table.Records, table.Slugs, table.IndexItems, table.Users, "PORTAL", "USER"}
		suspects := 0
		for _, c := range []struct {
			name   string
			change func()
		}{
			{"a new slug", func() { p.update(t, x, object{"slug": "new"}) }},
			{"a new locale", func() { p.update(t, x, object{"locale": "fr"}) }},
			{"a new position", func() { p.update(t, x, object{"position": 7}) }},
			{"a new parent", func() { p.update(t, x, object{"parent_category_id": b}) }},
			{"new links", func() { p.update(t, x, links) }},
			{"a new category", func() { p.create(t, "c", object{"parent_category_id": x}) }},
			{"new positions", func() { p.reorder(t, positionsOf([]int64{x, b, a}, 1)) }},
			{"a category less", func() { p.delete(t, x) }},
			{"a new member", func() { p.NewMember(t, p.portal) }},
		} {
			before := p.readAll(t)
			c.change()
			after := p.readAll(t)
			for _, kind := range kinds {
				for name, scan := range map[string]torn{
					// early has one kind as it was before the change and all others as they are after it, late the
					// reverse.
					"early": mix(before, after, kind), "late": mix(after, before, kind),
				} {
					report := p.Check(t, check.Options{Source: scan})
					suspects += report.Suspects
					for _, f := range report.Faults {
						t.Errorf("%s, with %s read %s: %s", c.name, kind, name, f.What)
					}
				}
			}
		}
		if suspects == 0 {
			t.Error("nothing looked broken: this proves nothing")
		}
		p.MustBeWhole(t)
	})
}

// readAll reads all items of the table.
func (p *testPortal) readAll(t testing.TB) torn {
	t.Helper()
	items := torn{}
	for _, item := range p.Items(t) {
		items[table.KeyOf(item)] = item
	}
	return items
}

// mix takes the items whose sort keys have a prefix from one state of a table, and all others from another state.
func mix(kind, others torn, prefix string) torn {
	mixed := maps.Clone(others)
	maps.DeleteFunc(mixed, func(k table.Key, _ dynamo.Item) bool { return strings.HasPrefix(k.SK, prefix) })
	for k, item := range kind {
		if strings.HasPrefix(k.SK, prefix) {
			mixed[k] = item
		}
	}
	return mixed
}

// torn stands for the scan of a table that changes meanwhile.
type torn table.Items

// ScanPage returns all items in one page.
func (items torn) ScanPage(context.Context, int, int, int, table.Key) ([]dynamo.Item, table.Key, error) {
	return slices.Collect(maps.Values(items)), table.Key{}, nil
}

// TestCheckBesideBusyClients shows that the check reports nothing while eight clients change whatever they can. A
// false alarm would make an operator repair what is sound.
func TestCheckBesideBusyClients(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		var ids []int64
		for i := range 12 {
			ids = append(ids, p.create(t, fmt.Sprintf("c%d", i), nil))
		}
		var stop atomic.Bool
		var changes atomic.Int64
		done := make(chan struct{})
		go func() {
			defer close(done)
			fixture.Together(8, func(client int) (last answer) {
				for n := 0; !stop.Load() && !t.Failed(); n++ {
					x, y := ids[(client+n)%len(ids)], ids[(client*5+n*7+1)%len(ids)]
					name := fmt.Sprintf("%d-%d", client, n)
					switch (client + n) % 4 {
					case 0:
						last = p.update(t, x, object{"parent_category_id": y, "related_category_ids": array{}})
					case 1:
						last = p.update(t, x, object{"parent_category_id": nil, "slug": "s-" + name})
					case 2:
						last = p.update(t, x, object{"associated_category_id": y})
					case 3:
						last = p.post(t, object{"name": "n", "slug": "t-" + name, "parent_category_id": x})
						if last.Status == 200 {
							last = p.delete(t, idOf(last.Body["payload"]))
						}
					}
					if last.Status == 200 {
						changes.Add(1)
					}
				}
				return last
			})
		}()
		// At least 3 checks, and 30 changes beside them: otherwise nothing has met.
		for n := 0; (n < 3 || changes.Load() < 30) && !t.Failed(); n++ {
			report, err := check.Run(context.Background(), p.Table, registry.Kinds(), check.Options{})
			if err != nil {
				t.Error(err)
			}
			for _, f := range report.Faults {
				t.Errorf("reported: %s", f.What)
			}
		}
		stop.Store(true)
		<-done
		p.MustBeWhole(t)
	})
}
