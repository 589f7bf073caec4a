package category_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// library is a portal with many categories. Every tenth is the parent of the nine that follow it, and every third
// is associated with one in another locale. Each request is measured.
type library struct {
	testing.TB
	fixture.Tenant
	stack      *fixture.Stack
	portal     table.Portal
	categories []tree.Category
}

// newLibrary makes a portal of a tenant with n categories. position returns the position of the ith category.
func newLibrary(t testing.TB, s *fixture.Stack, tenant fixture.Tenant, n int, position func(i int) *int64) *library {
	t.Helper()
	l := emptyLibrary(t, s, tenant, n, position)
	for i := 0; i < n; i += 2 {
		description := strings.Repeat("What it says of itself. ", i%5)
		l.categories[i].Description = &description
	}
	s.PutCategories(t, l.portal, l.categories)
	return l
}

// emptyLibrary makes a portal of a tenant, and n categories without a description that are not stored yet.
func emptyLibrary(t testing.TB, s *fixture.Stack, tenant fixture.Tenant, n int, position func(i int) *int64) *library {
	t.Helper()
	p := s.NewPortal(t, 1, fmt.Sprintf("library-%d-%d", n, id.New()), "en", "es", "fr")
	s.AddMember(t, p, tenant.Agent.ID)
	l := &library{TB: t, Tenant: tenant, stack: s, portal: p}
	for i := range n {
		c := tree.Category{
			ID: id.New(), Name: fmt.Sprintf("Category %d", i), Slug: fmt.Sprintf("c%d", i), Position: position(i),
			Locale: []string{"en", "es", "fr"}[i%3],
		}
		if i%10 > 0 {
			c.Parent = l.categories[i-i%10].ID
		}
		if i%3 == 2 {
			c.Root = l.categories[i-2].ID
		}
		if i%10 == 7 {
			c.Related = []id.ID{l.categories[i-1].ID, l.categories[i-7].ID}
		}
		l.categories = append(l.categories, c)
	}
	return l
}

// send sends a request of the portal's agent, and returns what it took.
func (l *library) send(to fixture.Target, sent any) (a fixture.Answer, took *fixture.Taken) {
	l.Helper()
	took = new(fixture.Taken)
	l.stack.AWSProxy().Inject(took.Measure)
	defer l.stack.AWSProxy().Inject(nil)
	return l.stack.Call(l.TB, to, fixture.Token(l.AgentToken), sent), took
}

// list asks for the list of a query.
func (l *library) list(query map[string]string) (a fixture.Answer, took *fixture.Taken) {
	l.Helper()
	return l.send(fixture.To("listCategories", l.portal).Query(queryOf(query)), nil)
}

// queryOf writes a query with the parameters that are not empty.
func queryOf(parameters map[string]string) string {
	query := url.Values{}
	for name, value := range parameters {
		if value != "" {
			query.Set(name, value)
		}
	}
	return "?" + query.Encode()
}

// reorder gives the first n categories ascending positions that start with first.
func (l *library) reorder(n, first int) (a fixture.Answer, took *fixture.Taken) {
	l.Helper()
	var ids []int64
	for _, c := range l.categories[:n] {
		ids = append(ids, int64(c.ID))
	}
	return l.send(fixture.To("reorderCategories", l.portal), object{"positions_hash": positionsOf(ids, first)})
}

// walk follows the cursors from page to page, and returns all categories.
func (l *library) walk(query map[string]string) (all array) {
	l.Helper()
	for more := true; more; {
		a, _ := l.list(query)
		if a.Status != http.StatusOK {
			l.Fatalf("%v: %d %s", query, a.Status, a.Raw)
		}
		all = append(all, a.Body["payload"].(array)...)
		query["cursor"], more = a.Body["meta"].(object)["next_cursor"].(string)
	}
	return all
}

// positions are the positions of a library's categories. "As created", a page's categories lie close together in the
// table; "shuffled", they lie far apart. 7919 is a prime, so the shuffled positions look random but never change.
var positions = map[string]func(i int) *int64{
	"as created": func(int) *int64 { return nil },
	"shuffled": func(i int) *int64 {
		position := int64(i * 7919 % 1009)
		return &position
	},
}

// TestPagesOfALibrary shows that a page costs as much as the portal, and that the pages together show the same as the
// list without a limit. Units depend on the table and not on the machine, so they are bounds that a test can hold.
func TestPagesOfALibrary(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		for name, position := range positions {
			l := newLibrary(t, stack, tenant, 100, position)
			_, all := l.list(nil)
			for _, query := range []map[string]string{{"limit": "10"}, {"limit": "10", "locale": "es"}} {
				a, took := l.list(query)
				if a.Status != http.StatusOK || len(a.Body["payload"].(array)) != 10 {
					t.Fatalf("%s, %v: %d %s", name, query, a.Status, a.Raw)
				}
				what := fmt.Sprintf("%s, %v: ", name, query)
				expect.Equal(t, took.Units(), all.Units(), what)
				expect.Equal(t, took.Calls, 2, what)
				expect.AtMost(t, took.Units(), 15, what)
			}
			localtest.Case(t, name, l.everyPageShowsWhatTheListShows)
		}
	})
}

// everyPageShowsWhatTheListShows compares the pages of several sizes with the whole list. One locale is a former one of
// the portal: its categories stay in the list.
func (l *library) everyPageShowsWhatTheListShows(t testing.TB) {
	change := portal.Portal{Account: 1, Slug: l.portal.Slug, Locales: []string{"es", "en"}}
	if _, err := (portal.Store{Table: l.stack.Table}).Update(t.Context(), change, nil); err != nil {
		t.Fatal(err) // French is a former locale from here on
	}
	a, _ := l.list(nil)
	whole := a.Body["payload"].(array)
	for _, locale := range []string{"", "es", "fr"} {
		want := slices.DeleteFunc(slices.Clone(whole), func(c any) bool {
			return locale != "" && c.(object)["locale"] != locale
		})
		// 7 does not divide 100, so the last page is short.
		for _, limit := range []string{"", "7", "1000"} {
			query := map[string]string{"locale": locale, "limit": limit}
			got := l.walk(query)
			if !slices.EqualFunc(got, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("%v: %d categories, want %d, or some differ", query, len(got), len(want))
			}
		}
	}
	a, _ = l.list(map[string]string{"limit": "70"})
	cursor := a.Body["meta"].(object)["next_cursor"].(string)
	a, _ = l.list(map[string]string{"cursor": cursor})
	expect.Equal[any](t, a.Body["payload"], whole[70:], "from 70 on, without a limit")
	expect.Equal(t, a.Body["meta"].(object)["categories_count"], 100.0, "from 70 on, without a limit")
}

// TestUnitsOfAChange shows what a change takes, as the README states it. Each sum is the units of reading and of
// writing. A strongly consistent read takes a unit for 4 KB, a query at least one, and a write or a condition in a
// transaction two for 1 KB.
func TestUnitsOfAChange(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		l := newLibrary(t, stack, stack.NewTenant(t), 3, positions["as created"])
		child := object{"category": object{"name": "n", "slug": "n", "parent_category_id": l.categories[0].ID}}
		a, created := l.send(fixture.To("createCategory", l.portal), child)
		of := idOf(a.Body["payload"])
		update := fixture.To("updateCategory", l.portal, of)
		_, renamed := l.send(update, object{"category": object{"name": "m"}})
		_, positioned := l.send(update, object{"category": object{"position": 7}})
		_, moved := l.send(update, object{"category": object{"parent_category_id": l.categories[1].ID}})
		_, shown := l.send(fixture.To("getCategory", l.portal, of), nil)
		_, deleted := l.send(fixture.To("deleteCategory", l.portal, of), nil)
		for name, c := range map[string]struct {
			took *fixture.Taken
			want float64
		}{
			// Read: the caller (4) and what the request names; the index, and the categories that it links to.
			"create":   {created, 5 + 6 + 2},
			"rename":   {renamed, 5 + 2 + 2},
			"position": {positioned, 5 + 2 + 2},
			"move":     {moved, 6 + 1 + 1 + 6 + 4},
			"show":     {shown, 5 + 2},
			"delete":   {deleted, 5 + 6},
		} {
			if c.took.Units() != c.want {
				t.Errorf("%s: %g units, %d calls, want %g", name, c.took.Units(), c.took.Calls, c.want)
			}
		}
	})
}

// TestUnitsOfAReorder shows the price of a reorder: for each category one read and one write of two units. When others
// move, a category that keeps its position is held by a condition, which costs two units as well.
func TestUnitsOfAReorder(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		l := newLibrary(t, stack, stack.NewTenant(t), 51, positions["as created"])
		for _, n := range []int{1, 33, 34, 50} {
			l.reorder(n, 1000)
			_, same := l.reorder(n, 1000)
			a, took := l.reorder(n, 0)
			if want := same.Units() + 2*float64(n); a.Status != 200 || took.Units() != want {
				t.Errorf("%d: %d %s: %g units, want %g", n, a.Status, a.Raw, took.Units(), want)
			}
			if most := 8 + 1.5*float64(n); same.Units() > most { // the caller; the categories; the index
				t.Errorf("%d to the same positions: %g units, want at most %g", n, same.Units(), most)
			}
		}
		l.reorder(33, 0)
		_, same := l.reorder(50, 0)
		l.reorder(33, 1)
		if _, took := l.reorder(50, 0); took.Units() != same.Units()+2*50 {
			t.Errorf("33 of 50: %g units; to the same positions %g", took.Units(), same.Units())
		}
		a, took := l.reorder(51, 0)
		expect.Equal(t, a.Status, 422, "51")
		expect.Equal(t, took.Calls, 1, "51")
	})
}
