package category_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/answercache"
	"frontdesk/internal/api"
	"frontdesk/internal/category"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"

	"github.com/aws/aws-lambda-go/events"
)

// publish makes a library public and gives each of its categories a description.
func (l *library) publish(description string) *library {
	l.Helper()
	for i := range l.categories {
		l.categories[i].Description = &description
	}
	l.stack.PutCategories(l, l.portal, l.categories)
	l.stack.Publish(l, l.portal, true)
	return l
}

// publicProcess is one process of the public list, with a meter of what it reads of the table.
type publicProcess struct {
	*testing.T
	function api.Function
	took     *fixture.Meter
	outside  func(func()) // see outsideBubbles
	down     bool         // the table gives no answer
}

func newPublicProcess(t *testing.T, stack *fixture.Stack) *publicProcess {
	p := &publicProcess{T: t, took: &fixture.Meter{}, outside: outsideBubbles(t)}
	cfg := stack.Operator()
	cfg.HTTPClient = httpClient(func(r *http.Request) (response *http.Response, err error) {
		if p.down {
			time.Sleep(10 * time.Millisecond)
			return nil, io.ErrUnexpectedEOF
		}
		p.outside(func() { response, err = p.took.Do(r.WithContext(context.Background())) })
		return response, err
	})
	service := &category.Service{Table: table.Open(cfg, stack.Table.Name())}
	p.function = service.ListPublicFunction()
	p.function.Log = slog.New(slog.DiscardHandler)
	return p
}

// httpClient sends the calls of the SDK.
type httpClient func(*http.Request) (*http.Response, error)

func (c httpClient) Do(r *http.Request) (*http.Response, error) { return c(r) }

// outsideBubbles returns a function that runs others on a goroutine outside every bubble of [synctest], one after the
// other. Meanwhile the clock of the bubble stands still, and no connection stays in the bubble.
func outsideBubbles(t *testing.T) func(func()) {
	calls, done := make(chan func()), make(chan struct{})
	go func() {
		for f := range calls {
			f()
			done <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(calls) })
	var one sync.Mutex
	return func(f func()) {
		one.Lock()
		defer one.Unlock()
		calls <- f
		<-done
	}
}

// read asks for the public list of a portal.
func (p *publicProcess) read(of table.Portal, query map[string]string) (events.APIGatewayV2HTTPResponse, object) {
	p.Helper()
	event, _ := json.Marshal(events.APIGatewayV2HTTPRequest{
		PathParameters:        map[string]string{"account_id": of.Account.String(), "portal_slug": of.Slug},
		QueryStringParameters: query,
	})
	var answer events.APIGatewayV2HTTPResponse
	var body object
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second) // as template.yaml has it
	defer cancel()
	raw, err := p.function.Invoke(ctx, event)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err == nil {
		err = json.Unmarshal([]byte(answer.Body), &body)
	}
	if err != nil {
		p.Fatal(err)
	}
	return answer, body
}

// calls reads a page, and returns its status and the calls and units that it took.
func (p *publicProcess) calls(of table.Portal, query map[string]string) (status, calls int, units float64) {
	p.Helper()
	calls, units = p.took.Calls, p.took.Units
	answer, _ := p.read(of, query)
	return answer.StatusCode, p.took.Calls - calls, p.took.Units - units
}

// by returns the query of a page with this limit.
func by(limit int) map[string]string { return map[string]string{"limit": strconv.Itoa(limit)} }

// walk follows the cursors of the public list from page to page.
func (p *publicProcess) walk(of table.Portal, query map[string]string) (all array) {
	p.Helper()
	for more := true; more; {
		answer, body := p.read(of, query)
		if answer.StatusCode != http.StatusOK {
			p.Fatalf("%v: %d %s", query, answer.StatusCode, answer.Body)
		}
		all = append(all, body["payload"].(array)...)
		query["cursor"], more = body["meta"].(object)["next_cursor"].(string)
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

// TestInventedQueriesReadAPortalOnce sends 120 invented queries within a minute for a few hundred categories with
// long descriptions. When each page was read by itself, they took 1,912 calls. Strangers choose queries without a
// token, so the cost of a minute has to have a bound.
func TestInventedQueriesReadAPortalOnce(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tenant := stack.NewTenant(t)
	for name, position := range positions {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t, stack, tenant, 300, position).publish(strings.Repeat("d", 2700))
			p := newPublicProcess(t, stack)
			next := inventQueries(1)
			for range 120 {
				if answer, _ := p.read(l.portal, next()); answer.StatusCode != http.StatusOK {
					t.Fatalf("%d %s", answer.StatusCode, answer.Body)
				}
			}
			// 870 KB, in units of 4 KB
			expect.AtMost(t, "p.took.Calls", p.took.Calls, 20)
			expect.AtMost(t, "p.took.Units", p.took.Units, 250)
		})
	}
}

// TestPublicPages shows the pages of a small and of a large portal. The parts share both portals, which take long
// to fill.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tenant := stack.NewTenant(t)
	small := newLibrary(t, stack, tenant, 100, positions["shuffled"]).publish("d")
	large := newLibrary(t, stack, tenant, category.MaxLimit+1, positions["shuffled"]).publish("d")
	t.Run("show what agents see", func(t *testing.T) {
		for _, locale := range []string{"en", "es", "xx"} {
			small.publicPagesShowWhatAgentsSee(t, locale, "", "1", "7", "33", "1000")
		}
		large.publicPagesShowWhatAgentsSee(t, "en", "", "50", "1000")
	})
	t.Run("read a large portal for the second one", large.isReadForItsSecondPage)
	t.Run("are read by themselves where a large portal is not read in time", large.isReadByPages)
	t.Run("are a minute old at most, of a small portal", small.pagesAreAMinuteOldAtMost)
	t.Run("are a minute old at most, of a large portal", large.pagesAreAMinuteOldAtMost)
	t.Run("at the same time", small.isReadOnceByReadersAtTheSameTime)
}

// publicPagesShowWhatAgentsSee walks the public list with each limit and compares it with the agents' list.
func (l *library) publicPagesShowWhatAgentsSee(t *testing.T, locale string, limits ...string) {
	t.Helper()
	agents, _ := l.walk(map[string]string{"locale": locale, "limit": "100"})
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

// isReadForItsSecondPage shows that the first page of a minute is read by itself, and that the second reads the portal.
func (l *library) isReadForItsSecondPage(t *testing.T) {
	p := newPublicProcess(t, l.stack)
	synctest.Test(t, func(t *testing.T) {
		p.read(l.portal, by(10)) // finds out that the portal is large
		for range 2 {
			time.Sleep(answercache.Lifetime)
			status, calls, units := p.calls(l.portal, by(11))
			expect.Equal(t, "the first page: status", status, 200)
			expect.AtMost(t, "the first page: calls", calls, 20)
			expect.AtMost(t, "the first page: units", units, 40)
			status, calls, units = p.calls(l.portal, by(1000))
			expect.Equal(t, "the second page: status", status, 200)
			expect.AtMost(t, "the second page: calls", calls, 2)
			expect.AtMost(t, "the second page: units", units, 200)
			next := inventQueries(2)
			for range 120 {
				if status, calls, _ := p.calls(l.portal, next()); status != 200 || calls > 0 {
					t.Fatalf("a further page: %d, %d calls", status, calls)
				}
			}
		}
	})
}

// isReadByPages shows that after a failure of the table, pages are read by themselves for the rest of the minute.
func (l *library) isReadByPages(t *testing.T) {
	p := newPublicProcess(t, l.stack)
	synctest.Test(t, func(t *testing.T) {
		p.read(l.portal, by(1))
		p.down = true
		if status, _, _ := p.calls(l.portal, by(2)); status != 503 {
			t.Errorf("without the table: %d", status)
		}
		p.down = false
		for limit := 3; limit < 6; limit++ {
			what := fmt.Sprintf("by %d: ", limit)
			status, calls, units := p.calls(l.portal, by(limit))
			expect.Equal(t, what+"status", status, 200)
			expect.AtLeast(t, what+"calls", calls, 1)
			expect.AtMost(t, what+"units", units, 40)
		}
		time.Sleep(answercache.Lifetime)
		p.read(l.portal, by(6))
		p.read(l.portal, by(7))
		status, calls, _ := p.calls(l.portal, by(8))
		expect.Equal(t, "a minute later: status", status, 200)
		expect.AtMost(t, "a minute later: calls", calls, 0)
	})
}

// TestAPortalThatCannotBeReadWhole damages one category. The others are shown page by page for the rest of the minute.
// Reading the whole portal fails once, and is not repeated for each page.
func TestAPortalThatCannotBeReadWhole(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	l := newLibrary(t, stack, stack.NewTenant(t), 300, positions["as created"]).publish(long[:4_000])
	last := l.portal.Category(l.categories[299].ID)
	if err := stack.Table.UpdateItem(last).Set("name", []string{"damaged"}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := newPublicProcess(t, stack)
	if status, _, _ := p.calls(l.portal, by(1)); status != 500 {
		t.Errorf("the first page: %d", status)
	}
	for limit := 2; limit < 12; limit++ {
		// reading all takes 300 units
		what := fmt.Sprintf("by %d: ", limit)
		status, _, units := p.calls(l.portal, by(limit))
		expect.Equal(t, what+"status", status, 200)
		expect.AtMost(t, what+"units", units, 60)
	}
}

// Descriptions of 40 kB in the table. One of control characters takes 240 kB of JSON.
var (
	long  = strings.Repeat("d", 40_000)
	heavy = strings.Repeat("\x01", 40_000)
)

// TestPagesOfAPortalTooLargeForTheMemory shows that such pages are read by themselves, until they have shown too many
// categories. Pages that were answered before stay available.
func TestPagesOfAPortalTooLargeForTheMemory(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	l := newLibrary(t, stack, stack.NewTenant(t), 480, positions["shuffled"]).publish(long)
	l.publicPagesShowWhatAgentsSee(t, "es", "50")
	p := newPublicProcess(t, stack)
	synctest.Test(t, func(t *testing.T) {
		for limit := range 3 { // the first two try to read all
			what := fmt.Sprintf("page %d: ", limit)
			status, calls, _ := p.calls(l.portal, by(1+limit))
			expect.Equal(t, what+"status", status, 200)
			expect.AtMost(t, what+"calls", calls, 25)
		}
		for range 5 { // each counts as much as the largest page
			status, calls, _ := p.calls(l.portal, nil)
			expect.Equal(t, "the whole list: status", status, 422)
			expect.AtMost(t, "the whole list: calls", calls, 40)
		}
		time.Sleep(20 * time.Second)
		answer, body := p.read(l.portal, by(4))
		expect.Equal(t, "one page too many: answer.StatusCode", answer.StatusCode, 503)
		expect.Equal(t, `one page too many: answer.Headers["retry-after"]`, answer.Headers["retry-after"], "40")
		expect.Equal(t, `one page too many: body["code"]`, body["code"], "unavailable")
		status, calls, _ := p.calls(l.portal, by(1))
		expect.Equal(t, "the first page again: status", status, 200)
		expect.AtMost(t, "the first page again: calls", calls, 0)
		time.Sleep(40 * time.Second)
		status, calls, _ = p.calls(l.portal, by(4))
		expect.Equal(t, "a minute later: status", status, 200)
		expect.AtMost(t, "a minute later: calls", calls, 25)
	})
}

// TestAPortalWaitsForRoom shows that a full memory drops nothing fresh. The next portal is read page by page until
// there is room. Otherwise readers could make two portals push each other out in turn.
func TestAPortalWaitsForRoom(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tenant := stack.NewTenant(t)
	fill := func(n int, description string) table.Portal {
		return newLibrary(t, stack, tenant, n, positions["as created"]).publish(description).portal
	}
	large := []table.Portal{fill(48, heavy), fill(48, heavy), fill(48, heavy)} // 35 MB of 48 MiB
	waits := fill(20, "d")
	p := newPublicProcess(t, stack)
	synctest.Test(t, func(t *testing.T) {
		read := func(of table.Portal, limit int, want bool) {
			t.Helper()
			what := fmt.Sprintf("%s by %d: ", of, limit)
			status, calls, _ := p.calls(of, by(limit))
			expect.Equal(t, what+"status", status, 200)
			expect.Equal(t, what+"calls > 0", calls > 0, want)
		}
		for _, of := range large {
			read(of, 1, true)
		}
		for _, of := range large {
			read(of, 2, false)
		}
		read(waits, 1, true)
		read(waits, 2, true)
		read(large[0], 3, false)
		time.Sleep(answercache.Lifetime)
		read(waits, 1, true)
		read(waits, 2, false)
	})
}

// pagesAreAMinuteOldAtMost shows that no page is older, whichever page it is, and whenever its categories were read.
func (l *library) pagesAreAMinuteOldAtMost(t *testing.T) {
	p := newPublicProcess(t, l.stack)
	before, limit := l.categories[0].Name, 0
	shows := func(age, first string) {
		t.Helper()
		limit++ // a new limit: this answer is not in memory
		answer, body := p.read(l.portal, by(limit))
		name := "nothing"
		if payload, ok := body["payload"].(array); ok {
			name = payload[0].(object)["name"].(string)
		}
		if got := answer.Headers["age"]; got != age || name != first {
			t.Errorf("by %d: %d, %s of the age %q, want %s of %q", limit, answer.StatusCode, name, got, first, age)
		}
	}
	publish := func(public bool) { p.outside(func() { l.stack.Publish(t, l.portal, public) }) }
	synctest.Test(t, func(*testing.T) {
		shows("0", before)
		time.Sleep(30 * time.Second)
		shows("30", before) // reads all of a large portal
		p.outside(func() {
			l.categories[0].Name = "new"
			l.stack.PutCategories(t, l.portal, l.categories)
		})
		time.Sleep(30*time.Second - time.Nanosecond)
		shows("60", before)
		time.Sleep(time.Nanosecond)
		shows("0", "new")
		publish(false)
		time.Sleep(59 * time.Second)
		shows("59", "new")
		time.Sleep(time.Second)
		shows("", "nothing")
		publish(true)
		shows("0", "new")
	})
}

// isReadOnceByReadersAtTheSameTime shows that 16 readers at once make one process read the portal once.
func (l *library) isReadOnceByReadersAtTheSameTime(t *testing.T) {
	p := newPublicProcess(t, l.stack)
	for i, n := range fixture.Together(16, func(i int) int {
		_, body := p.read(l.portal, by(1+i/2))
		return len(body["payload"].(array))
	}) {
		if n != 1+i/2 {
			t.Errorf("reader %d got %d categories", i, n)
		}
	}
	if p.took.Calls != 2 {
		t.Errorf("%d calls", p.took.Calls)
	}
}
