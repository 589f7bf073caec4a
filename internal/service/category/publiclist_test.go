package category_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category"
)

// newPublicLibrary makes a library that is public, and whose categories have a description each.
func newPublicLibrary(
	t testing.TB, s *fixture.Stack, tenant fixture.Tenant, n int, position func(i int) *int64, description string,
) *library {
	t.Helper()
	l := emptyLibrary(t, s, tenant, n, position)
	for i := range l.categories {
		l.categories[i].Description = &description
	}
	s.PutCategories(t, l.portal, l.categories)
	s.Publish(t, l.portal, true)
	return l
}

// publicProcess is one process of the public list, with a measure of what it takes of the table.
type publicProcess struct {
	testing.TB
	stack *fixture.Stack
	took  fixture.Taken
	down  bool // the table gives no answer
}

// newPublicProcess ends the process that there is, and with it what it has in memory.
func newPublicProcess(t testing.TB, stack *fixture.Stack) *publicProcess {
	stack.Lambda().KillIdle("ListPublicCategoriesFunction")
	p := &publicProcess{TB: t, stack: stack}
	stack.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		if p.down {
			return awsproxy.CutBefore
		}
		return p.took.Measure(c)
	})
	return p
}

// read asks for the public list of a portal.
func (p *publicProcess) read(of table.Portal, query map[string]string) answer {
	p.Helper()
	return p.stack.Call(p.TB, fixture.To("listPublicCategories", of).Query(queryOf(query)), nil, nil)
}

// calls reads a page, and returns its status and the calls and units that it took.
func (p *publicProcess) calls(of table.Portal, query map[string]string) (status, calls int, units float64) {
	p.Helper()
	calls, units = p.took.Calls, p.took.Units()
	a := p.read(of, query)
	return a.Status, p.took.Calls - calls, p.took.Units() - units
}

// by returns the query of a page with this limit.
func by(limit int) map[string]string { return map[string]string{"limit": strconv.Itoa(limit)} }

// walk follows the cursors of the public list from page to page.
func (p *publicProcess) walk(of table.Portal, query map[string]string) (all array) {
	p.Helper()
	for more := true; more; {
		a := p.read(of, query)
		if a.Status != http.StatusOK {
			p.Fatalf("%v: %d %s", query, a.Status, a.Raw)
		}
		all = append(all, a.Body["payload"].(array)...)
		query["cursor"], more = a.Body["meta"].(object)["next_cursor"].(string)
	}
	return all
}

// inventQueries returns a source of queries as strangers make them up. Each seed has its own sequence.
func inventQueries(seed uint64) func() map[string]string {
	random := rand.New(rand.NewPCG(1, seed))
	return func() map[string]string {
		n := random.IntN(2000)
		return map[string]string{
			"cursor": cursorOf(fmt.Sprintf(`{"Position":%d,"ID":%d}`, n-500, random.IntN(1_000_000))),
			"limit":  strconv.Itoa(1 + random.IntN(category.MaxLimit)),
			"locale": []string{"", "en", "es", "fr", fmt.Sprintf("x%d", n)}[random.IntN(5)],
		}
	}
}

// TestInventedQueriesReadAPortalOnce sends 30 invented queries within a minute for a few hundred categories with long
// descriptions. When each page was read by itself, they took hundreds of calls. Strangers choose queries without a
// token, so the cost of a minute has to have a bound.
func TestInventedQueriesReadAPortalOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		for name, position := range positions {
			localtest.Case(t, name, func(t testing.TB) {
				l := newPublicLibrary(t, stack, tenant, 300, position, strings.Repeat("d", 2700))
				p := newPublicProcess(t, stack)
				next := inventQueries(1)
				for range 30 {
					p.read(l.portal, next()).Is(t, http.StatusOK, nil)
				}
				// 870 KB, in units of 4 KB
				expect.AtMost(t, p.took.Calls, 20)
				expect.AtMost(t, p.took.Units(), 250)
			})
		}
	})
}

// TestPublicPages shows the pages of a portal. The parts share it, because it takes long to fill.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		small := newPublicLibrary(t, stack, tenant, 100, positions["shuffled"], "d")
		localtest.Case(t, "show what agents see", func(t testing.TB) {
			for _, locale := range []string{"en", "es"} {
				small.publicPagesShowWhatAgentsSee(t, locale, "", "1", "7", "33", "1000")
			}
		})
		localtest.Case(t, "are read again at once after a failure of the table", small.isReadAgainAfterAFailure)
		localtest.Case(t, "are a minute old at most", small.pagesAreAMinuteOldAtMost)
	})
}

// publicPagesShowWhatAgentsSee walks the public list with each limit and compares it with the agents' list.
func (l *library) publicPagesShowWhatAgentsSee(t testing.TB, locale string, limits ...string) {
	t.Helper()
	agents := l.walk(map[string]string{"locale": locale, "limit": "100"})
	want := array{}
	for _, c := range agents {
		want = append(want, seen(c))
	}
	for _, limit := range limits {
		p := newPublicProcess(t, l.stack)
		got := p.walk(l.portal, map[string]string{"locale": locale, "limit": limit})
		if !slices.EqualFunc(got, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%s by %q: %d categories, want %d, or some differ", locale, limit, len(got), len(want))
		}
	}
}

// isReadAgainAfterAFailure shows that a failure of the table is not kept: the next request reads the portal.
func (l *library) isReadAgainAfterAFailure(t testing.TB) {
	p := newPublicProcess(t, l.stack)
	p.down = true
	if status, _, _ := p.calls(l.portal, by(2)); status != 503 {
		t.Errorf("without the table: %d", status)
	}
	p.down = false
	for limit, want := range []int{2, 0, 0} { // the portal and its categories, and nothing else for a minute
		status, calls, _ := p.calls(l.portal, by(3+limit))
		expect.Equal(t, status, 200)
		expect.Equal(t, calls, want)
	}
}

// TestAPortalThatCannotBeRead damages one category, or fills the portal with more than the memory has room for. It is
// not read again for the rest of the minute, whatever readers ask for.
func TestAPortalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		damaged := newPublicLibrary(t, stack, tenant, 3, positions["as created"], "d")
		last := damaged.portal.Category(damaged.categories[2].ID)
		if err := stack.Table.UpdateItem(last).Set("name", []string{"damaged"}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		large := newPublicLibrary(t, stack, tenant, 54, positions["shuffled"], long)    // 17 MB of 16 MiB
		escaped := newPublicLibrary(t, stack, tenant, 72, positions["shuffled"], heavy) // 9 MB, and 17 MB of JSON
		for _, c := range []struct {
			of     *library
			status int
			code   string
		}{{damaged, 500, "internal"}, {large, 422, "portal_too_large"}, {escaped, 422, "portal_too_large"}} {
			p := newPublicProcess(t, stack)
			for limit := 1; limit < 12; limit++ {
				before := p.took.Calls
				p.read(c.of.portal, by(limit)).Is(t, c.status, object{"code": c.code})
				expect.Equal(t, p.took.Calls > before, limit == 1, "calls > 0")
				expect.AtMost(t, p.took.Calls, 20)
			}
			time.Sleep(answercache.Lifetime)
			p.down = true // so that a minute later it shows by the status alone that the table is asked again
			status, _, _ := p.calls(c.of.portal, by(12))
			expect.Equal(t, status, 503, "status a minute later, without the table")
		}
	})
}

// Descriptions of 320 kB and of 120 kB in the table. The one of line separators takes 240 kB of JSON: it escapes them.
var (
	long  = strings.Repeat("d", 320_000)
	heavy = strings.Repeat("\u2028", 40_000)
)

// TestAPortalWaitsForRoom shows that a full memory drops nothing fresh. The next portal is 503 until the minute of the
// oldest one is over. Otherwise readers could make two portals push each other out in turn.
func TestAPortalWaitsForRoom(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		tenant := stack.NewTenant(t)
		fill := func(n int, description string) table.Portal {
			return newPublicLibrary(t, stack, tenant, n, positions["as created"], description).portal
		}
		large := []table.Portal{fill(48, heavy), fill(48, heavy), fill(48, heavy)} // 35 MB of 48 MiB
		waits := fill(20, "d")
		p := newPublicProcess(t, stack)
		read := func(of table.Portal, limit, want int) {
			t.Helper()
			status, _, _ := p.calls(of, by(limit))
			expect.Equal(t, status, want, fmt.Sprintf("%s by %d: status", of, limit))
		}
		read(large[0], 1, 200)
		time.Sleep(20 * time.Second)
		read(large[1], 1, 200)
		read(large[2], 1, 200)
		for limit := range 3 {
			before := p.took.Calls
			a := p.read(waits, by(1+limit))
			a.Is(t, 503, object{"code": "unavailable"})
			expect.Equal(t, a.Header.Get("Retry-After"), "40", "without room: retry-after")
			expect.AtMost(t, p.took.Calls-before, 1, "without room: calls") // the portal itself
		}
		read(large[0], 3, 200)
		time.Sleep(40 * time.Second)
		read(waits, 1, 200)
		read(large[1], 2, 200)
	})
}

// pagesAreAMinuteOldAtMost shows that no page is older, whichever page it is, and whenever its categories were read.
func (l *library) pagesAreAMinuteOldAtMost(t testing.TB) {
	p := newPublicProcess(t, l.stack)
	before, limit := l.categories[0].Name, 0
	shows := func(age, first string) {
		t.Helper()
		limit++ // a new limit: this answer is not in memory
		a := p.read(l.portal, by(limit))
		name := "nothing"
		if payload, ok := a.Body["payload"].(array); ok {
			name = payload[0].(object)["name"].(string)
		}
		if got := a.Header.Get("Age"); got != age || name != first {
			t.Errorf("by %d: %d, %s of the age %q, want %s of %q", limit, a.Status, name, got, first, age)
		}
	}
	read := time.Now()
	after := func(passed time.Duration) { time.Sleep(time.Until(read.Add(passed))) }
	shows("1", before) // reading takes some milliseconds, and the age is rounded up
	after(30 * time.Second)
	shows("30", before)
	l.categories[0].Name = "new"
	l.stack.PutCategories(t, l.portal, l.categories)
	after(time.Minute - time.Nanosecond)
	shows("60", before)
	after(time.Minute)
	read = time.Now()
	shows("1", "new")
	l.stack.Publish(t, l.portal, false)
	after(59 * time.Second)
	shows("59", "new")
	after(time.Minute)
	shows("", "nothing")
	l.stack.Publish(t, l.portal, true)
	shows("1", "new")
}
