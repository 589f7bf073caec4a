package category_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/expect"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/localtest"
)

// link makes n categories below parent, without the endpoint.
func (p *testPortal) link(t testing.TB, parent int64, n int) []id.ID {
	t.Helper()
	categories := make([]changeset.Category, n)
	for i := range categories {
		categories[i] = changeset.Category{Name: fmt.Sprintf("below-%d-%d", parent, i), Parent: id.ID(parent)}
	}
	return p.NewCategories(t, p.portal, categories...)
}

// linkEachWay makes n categories, each with three links to the same one.
func (p *testPortal) linkEachWay(t *testing.T, to int64, n int) {
	t.Helper()
	for i := range n {
		p.NewCategory(t, p.portal, changeset.Category{
			Name: fmt.Sprintf("linked-%d-%d", to, i), Parent: id.ID(to), Root: id.ID(to), Related: []id.ID{id.ID(to)},
		})
	}
}

// TestDeletionsByTheirLinks shows how a deletion ends all links: 49 in each transaction, and the last 25 together
// with the category. It reads the links page by page. A transaction has at most 100 operations, and ending a link
// takes two of them.
func TestDeletionsByTheirLinks(t *testing.T) {
	t.Parallel()
	p := start(t)
	for name, c := range map[string]struct {
		below, eachWay int
		transactions   int
		queries        int
	}{
		"no link":                                  {0, 0, 1, 0},
		"as many as go into one transaction":       {25, 0, 1, 1},
		"one more":                                 {26, 0, 2, 1},
		"as many as go into two":                   {74, 0, 2, 1},
		"one more than that":                       {75, 0, 3, 1},
		"as many as are read with the caller":      {100, 0, 3, 1},
		"one more than that, in pages":             {101, 0, 3, 2},
		"as many as go into four, read in pages":   {172, 0, 4, 2},
		"three links of each, more than one order": {20, 30, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			x := p.create(t, strings.NewReplacer(" ", "-", ",", "").Replace(name), nil)
			p.link(t, x, c.below)
			p.linkEachWay(t, x, c.eachWay)
			r := p.delete(t, x)
			var transactions, queries int
			for _, action := range p.Actions(r) {
				switch action {
				case "TransactWriteItems":
					transactions++
				case "Query":
					queries++
				}
			}
			r.Is(t, 200, nil)
			expect.Equal(t, "transactions", transactions, c.transactions)
			expect.Equal(t, "queries", queries, c.queries)
		})
	}
	for _, c := range p.list(t, "") {
		c := c.(object)
		expect.Equal(t, `a link is left: c["parent_category"]`, c["parent_category"], nil)
		expect.Equal(t, `a link is left: c["root_category"]`, c["root_category"], nil)
		expect.Equal(t, `a link is left: c["related_categories"].(array)`, c["related_categories"].(array), nil)
	}
	p.MustBeWhole(t)
}

// TestADeletionThatTakesLongerThanARequest shows that an interrupted deletion keeps what it has done. In between, the
// category is there with fewer links. It takes no new ones, so the deletion comes to an end.
func TestADeletionThatTakesLongerThanARequest(t *testing.T) {
	t.Parallel()
	p := start(t, shortTimeout(t))
	x, other := p.create(t, "x", nil), p.create(t, "other", nil)
	below := p.link(t, x, 80)
	var transactions atomic.Int32
	p.Gate().Inject(func(c gate.Call) *gate.Fault {
		// A conflict at every attempt after the first transaction uses up the request's time.
		if c.Action == "TransactWriteItems" && transactions.Add(1) > 1 {
			return gate.Conflict
		}
		return nil
	})
	r := p.delete(t, x)
	p.Gate().Inject(nil)
	r.Is(t, 503, nil)
	expect.Equal(t, "it was to be broken off: Retry-After", r.Header.Get("Retry-After"), "1")
	expect.HasPrefix(t, `it was to be broken off: r.Body["message"].(string)`, r.Body["message"].(string),
		"The category is being deleted")
	p.MustBeWhole(t)
	if subs := idsOf(p.get(t, x)["sub_category_ids"]); len(subs) != 80-changeset.MaxUnlinkRefs {
		t.Errorf("%d links are left", len(subs))
	}

	for _, c := range []struct {
		fields  object
		message string
	}{
		{object{"parent_category_id": x}, "Parent category must exist"},
		{object{"associated_category_id": x}, "Associated category must exist"},
		{object{"related_category_ids": array{x}}, "Related categories must exist"},
	} {
		r := p.update(t, other, c.fields)
		r.Is(t, 422, object{"message": c.message})
		c.fields["name"], c.fields["slug"] = "new", "new"
		r = p.post(t, c.fields)
		r.Is(t, 422, object{"message": c.message})
	}
	// Links end in the order of their ids, so the newest category is still linked.
	last := int64(slices.Max(below))
	r = p.update(t, last, object{"name": "y"})
	payload, _ := r.Body["payload"].(object)
	r.Is(t, 200, nil)
	expect.Equal(t, `an update of one that is still below it: idOf(payload["parent_category"])`,
		idOf(payload["parent_category"]), x)
	if r := p.update(t, x, object{"name": "y", "parent_category_id": other}); r.Status != 200 {
		t.Errorf("an update of itself: %d %v", r.Status, r.Body)
	}
	if r := p.delete(t, x); r.Status != 200 {
		t.Errorf("repeated: %d %v", r.Status, r.Body)
	}
	expect.Equal(t, "p.get(t, x)", p.get(t, x), nil)
	expect.Equal(t, `p.get(t, last)["parent_category"]`, p.get(t, last)["parent_category"], nil)
	p.MustBeWhole(t)
}

// BenchmarkDeletion deletes a category with 10,000 sub-categories.
func BenchmarkDeletion(b *testing.B) {
	p := start(b)
	var requests, transactions int
	for b.Loop() {
		b.StopTimer()
		x := p.create(b, fmt.Sprintf("x%d", requests), nil)
		p.link(b, x, 10_000)
		b.StartTimer()
		for status := 503; status == 503; requests++ {
			r := p.delete(b, x)
			if status = r.Status; status != 200 && status != 503 {
				b.Fatalf("%d %v", status, r.Body)
			}
			for _, action := range p.Actions(r) {
				if action == "TransactWriteItems" {
					transactions++
				}
			}
		}
	}
	b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
	b.ReportMetric(float64(transactions)/float64(b.N), "transactions/op")
}

// shortTimeout gives the functions 3 seconds, and their calls 2, so that a test of failures is quick.
func shortTimeout(t *testing.T) func(*local.Options) {
	return func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 3") }
}
