package category_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category"

	"github.com/aws/aws-lambda-go/events"
)

// startPublic starts a stack with one public portal.
func startPublic(t testing.TB) *testPortal {
	t.Helper()
	return newPublicPortal(t, fixture.Start(t))
}

func newPublicPortal(t testing.TB, stack *fixture.Stack) *testPortal {
	t.Helper()
	p := newTestPortal(t, stack, "handbook")
	p.Publish(t, p.portal, true)
	return p
}

// read sends a request of a reader, without a credential. header has names and values in turn.
func (p *testPortal) read(t testing.TB, to fixture.Target, header ...string) answer {
	t.Helper()
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return p.Call(t, to, h, nil)
}

// seen turns a category of the agents' list into what readers see of it.
func seen(c any) object {
	public := maps.Clone(c.(object))
	delete(public, "account_id")
	delete(public, "created_at")
	return public
}

// TestReadersSeeWhatAgentsSee shows that readers get the same categories without the account and the time of
// creation. They get one locale: the portal's default, unless they ask for another. The agents' list is the oracle,
// because other tests compare it with the model.
func TestReadersSeeWhatAgentsSee(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startPublic(t)
		guides := p.create(t, "guides", object{"position": 2, "description": "How to do it"})
		p.create(t, "guías", object{"locale": "es", "associated_category_id": guides, "slug": "guides"})
		billing := p.create(t, "billing", object{"position": 1, "parent_category_id": guides})
		p.create(t, "refunds", object{"parent_category_id": billing, "related_category_ids": array{guides, billing}})
		for query, want := range map[string]string{
			"": "?locale=en", "?locale=": "?locale=en", "?locale=en": "?locale=en", "?locale=es": "?locale=es",
			"?locale=fr": "?locale=fr", "?limit=2": "?locale=en&limit=2", "?x=y": "?locale=en",
		} {
			got := p.read(t, p.to("listPublicCategories").Query(query))
			agents := p.send(t, p.to("listCategories").Query(want), nil)
			shown := array{}
			for _, c := range agents.Body["payload"].(array) {
				shown = append(shown, seen(c))
			}
			meta := agents.Body["meta"].(object)
			delete(meta, "categories_count")
			got.Is(t, 200, nil)
			expect.Equal[any](t, got.Body["payload"], shown, query+": payload")
			expect.Equal[any](t, got.Body["meta"], meta, query+": meta")
			for _, c := range agents.Body["payload"].(array) {
				to := p.to("getPublicCategory", c.(object)["slug"]).Query(fmt.Sprint("?locale=", c.(object)["locale"]))
				if got := p.read(t, to); got.Status != 200 || !reflect.DeepEqual(got.Body["payload"], seen(c)) {
					t.Errorf("%s: %d %s, want %v", got.Request, got.Status, got.Raw, c)
				}
			}
		}
		// A front end may ask for its own language, whatever the portal has.
		elsewhere := p.read(t, p.to("listPublicCategories").Query("?locale=xx"))
		elsewhere.Is(t, 200, object{"payload": array{}, "meta": object{}})
		first := p.read(t, p.to("listPublicCategories").Query("?limit=2"))
		cursor := first.Body["meta"].(object)["next_cursor"].(string)
		rest := p.read(t, p.to("listPublicCategories").Query("?cursor="+cursor))
		if len(rest.Body["payload"].(array)) != 1 {
			t.Errorf("the second page: %s", rest.Raw)
		}
		if got := p.read(t, p.to("getPublicCategory", "guides")); idOf(got.Body["payload"]) != guides {
			t.Errorf("without a locale: %s", got.Raw)
		}
		p.create(t, "caf\u00e9", nil)
		for _, slug := range []string{"caf\u00e9", "cafe\u0301"} { // in NFC, and in NFD
			if got := p.read(t, p.to("getPublicCategory", slug)); got.Status != 200 {
				t.Errorf("%s: %d %s", got.Request, got.Status, got.Raw)
			}
		}
		for _, query := range []string{"?limit=0", "?limit=x", "?cursor=x"} {
			got := p.read(t, p.to("listPublicCategories").Query(query))
			got.Is(t, 400, nil)
			expect.Equal(t, got.Header.Get("Access-Control-Allow-Origin"), "*", query+": Access-Control-Allow-Origin")
		}
	})
}

// TestWhatReadersMayNotSeeDoesNotExist compares the answers to the byte. A private portal, a missing one and a
// missing category must look the same. A difference would tell strangers which portals a company keeps for itself.
func TestWhatReadersMayNotSeeDoesNotExist(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startPublic(t)
		category := func(slug string) int64 { return p.create(t, slug, nil) }
		category("there")
		// Three categories that readers could see once.
		renamed, deleted, moved := category("before"), category("deleted"), category("moved")
		p.update(t, renamed, object{"slug": "after"})
		p.update(t, moved, object{"locale": "es"})
		p.delete(t, deleted)
		private := p.NewPortal(t, 1, "private", "en")
		// again was public once and is private now, and gone was deleted while it was public.
		again := p.NewPortal(t, 1, "again", "en")
		gone := p.NewPortal(t, 1, "gone", "en")
		for _, of := range []table.Portal{again, gone} {
			p.Publish(t, of, true)
		}
		p.Publish(t, again, false)
		if err := p.Table.DeleteItem(gone.Key()).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		list := func(of table.Portal) fixture.Target { return fixture.To("listPublicCategories", of) }
		show := func(of table.Portal, slug string) fixture.Target { return fixture.To("getPublicCategory", of, slug) }
		itself := func(of table.Portal) fixture.Target { return fixture.To("getPublicPortal", of) }
		nowhere := table.Portal{Account: 1, Slug: "nowhere"}
		huge := table.Portal{Account: 1, Slug: strings.Repeat("x", 3000)}
		var want answer
		for name, to := range map[string]fixture.Target{
			"a private portal":                    list(private),
			"a category of a private portal":      show(private, "there"),
			"a portal that was public":            list(again),
			"a portal that was deleted":           list(gone),
			"no portal":                           list(nowhere),
			"a private portal itself":             itself(private),
			"one that was public itself":          itself(again),
			"one that was deleted itself":         itself(gone),
			"no portal itself":                    itself(nowhere),
			"a portal of an account that is none": fixture.To("getPublicPortal", "one", "handbook"),
			"a category of no portal":             show(nowhere, "there"),
			"another account's portal":            list(table.Portal{Account: 2, Slug: p.portal.Slug}),
			"an account that is none":             fixture.To("listPublicCategories", "one", "handbook"),
			"a portal too long for a key":         show(huge, "there"),
			"a category that there never was":     show(p.portal, "never"),
			"one that was deleted":                show(p.portal, "deleted"),
			"one that was renamed":                show(p.portal, "before"),
			"one that is in another locale now":   show(p.portal, "moved"),
			"one of a locale that is none":        show(p.portal, "there").Query("?locale=xx"),
			"one of another locale":               show(p.portal, "there").Query("?locale=es"),
			// Readers name a category by its slug. An id would let them try numbers.
			"an id":                     show(p.portal, fmt.Sprint(renamed)),
			"a slug too long for a key": show(p.portal, strings.Repeat("x", 2000)),
		} {
			for range 2 { // the second answer must not come from memory
				got := p.read(t, to)
				for _, name := range []string{"Apigw-Requestid", "Date"} {
					got.Header.Del(name)
				}
				// The first answer is the one that all others must equal.
				if want.Status == 0 {
					want = got
				}
				got.Is(t, 404, nil)
				expect.Equal(t, got.Raw, want.Raw, name)
				expect.Equal(t, got.Header, want.Header, name)
				expect.Equal(t, got.Header.Get("Cache-Control"), "no-store", name+": Cache-Control")
				expect.Equal(t, got.Header.Get("Access-Control-Allow-Origin"), "*",
					name+": Access-Control-Allow-Origin")
			}
		}
		for _, to := range []fixture.Target{
			show(p.portal, "there"), show(p.portal, "after"), show(p.portal, "moved").Query("?locale=es"),
		} {
			if got := p.read(t, to); got.Status != 200 {
				t.Errorf("%s: %d %s", got.Request, got.Status, got.Raw)
			}
		}
		category("never")
		p.Publish(t, private, true)
		for _, to := range []fixture.Target{show(p.portal, "never"), list(private), itself(private)} {
			if got := p.read(t, to); got.Status != 200 {
				t.Errorf("%s, now that it is there: %d %s", got.Request, got.Status, got.Raw)
			}
		}
	})
}

// TestRepeatsReadNothing shows that a process answers from memory what it has read before, also when another query
// means the same.
func TestRepeatsReadNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startPublic(t)
		a := p.create(t, "a", nil)
		p.create(t, "b", object{"parent_category_id": a})
		for name, c := range map[string]struct {
			to     fixture.Target
			query  string
			reads  []string
			repeat []string // queries
		}{
			// All of these queries mean the same page, so they share one answer.
			"a list": {
				p.to("listPublicCategories"), "?limit=1", []string{"BatchGetItem", "Query"},
				[]string{"?limit=1", "?limit=01", "?x=y&limit=1&cursor=", "?locale=&limit=1"},
			},
			"a category": {
				p.to("getPublicCategory", "b"), "?locale=en",
				[]string{"BatchGetItem", "BatchGetItem", "BatchGetItem", "Query"},
				[]string{"?locale=en", "?limit=3&locale=EN"},
			},
			"a category of the default locale": {
				p.to("getPublicCategory", "b"), "",
				[]string{"BatchGetItem", "BatchGetItem", "BatchGetItem", "BatchGetItem", "Query"},
				[]string{"", "?locale="},
			},
		} {
			began := time.Now()
			first := p.read(t, c.to.Query(c.query))
			age, err := strconv.ParseFloat(cmp.Or(first.Header.Get("Age"), "0"), 64)
			got := p.Actions(first)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			slices.Sort(got) // some of them are side by side
			expect.Equal(t, got, c.reads, name+": p.Actions(first)")
			expect.AtMost(t, age, time.Since(began).Seconds()+1, name)
			for _, query := range c.repeat {
				again := p.read(t, c.to.Query(query), "Accept-Encoding", "identity")
				what := fmt.Sprintf("%s by %s: ", name, query)
				got := p.Actions(again)
				expect.Equal(t, got, nil, what+"p.Actions(again)")
				expect.Equal(t, again.Raw, first.Raw, what)
			}
		}
		p.create(t, "c", nil)
		cursor := "?cursor=" + cursorOf(`{}`)
		for _, query := range []string{"?limit=1", "?limit=2", "", "?locale=es", "?locale=xx", cursor} {
			got := p.read(t, p.to("listPublicCategories").Query(query))
			got.Is(t, 200, nil)
			expect.Equal(t, p.Actions(got), nil, query+" after a change: p.Actions(got)")
		}
	})
}

// TestTagsChangeWithWhatIsSeen shows that an entity tag (ETag) changes with what readers see, and with nothing else.
// A tag that changed too often would waste the clients' caches; one that changed too seldom would show them what is
// old (RFC 9110 section 8.8.3).
func TestTagsChangeWithWhatIsSeen(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := startPublic(t)
		parent := p.create(t, "parent", nil)
		x := p.create(t, "x", object{"locale": "es"})
		service := &category.Service{Table: p.Table}
		tags := func() (list, one string) {
			return p.tagOf(t, service.ListPublicFunction(), ""), p.tagOf(t, service.ShowPublicFunction(), "parent")
		}
		list, one := tags()
		for _, step := range []struct {
			what         string
			do           func() answer
			list, parent bool // whether the tag of the list, and of the parent, changes
		}{
			{"nothing", func() answer { return answer{Status: 200} }, false, false},
			{"an update of nothing", func() answer {
				return p.update(t, parent, object{"name": "parent"})
			}, false, false},
			{"a name", func() answer { return p.update(t, parent, object{"name": "Parent"}) }, true, true},
			{"a description", func() answer { return p.update(t, parent, object{"description": "d"}) }, true, true},
			{"a position", func() answer { return p.update(t, parent, object{"position": 7}) }, true, true},
			{"another category", func() answer { return p.post(t, object{"name": "n", "slug": "n"}) }, true, false},
			{"one of another locale", func() answer {
				return p.post(t, object{"name": "n", "slug": "n", "locale": "es"})
			}, false, false},
			{"one below it", func() answer { return p.update(t, x, object{"parent_category_id": parent}) }, true, true},
			{"a link from it", func() answer {
				return p.update(t, parent, object{"related_category_ids": array{x}})
			}, true, true},
			{"the name of what it links to", func() answer { return p.update(t, x, object{"name": "X"}) }, true, true},
			// A summary shows no description.
			{"the text of what it links to", func() answer {
				return p.update(t, x, object{"description": "d"})
			}, false, false},
			{"the end of what links to it", func() answer { return p.delete(t, x) }, true, true},
			{"a new member of the portal", func() answer {
				p.NewMember(t, p.portal)
				return answer{Status: 200}
			}, false, false},
		} {
			if r := step.do(); r.Status != 200 {
				t.Fatalf("%s: %d %s", step.what, r.Status, r.Raw)
			}
			nextList, nextOne := tags()
			expect.Equal(t, nextList != list, step.list, step.what)
			expect.Equal(t, nextOne != one, step.parent, step.what)
			expect.Not(t, list, "", step.what)
			expect.Not(t, one, "", step.what)
			list, one = nextList, nextOne
		}
	})
}

// TestPagesOfAnySiteReadInABrowser shows that Chromium lets another site's page read the list, keeps the answer, and
// asks whether it has changed.
func TestPagesOfAnySiteReadInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	p := newPublicPortal(t, fixture.StartBootstraps(t))
	p.create(t, "long", object{"description": strings.Repeat("What it says. ", 200)})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>a site</title>")
	}))
	t.Cleanup(site.Close)
	page := browser.Open(t, site.URL)
	url := p.URL() + p.to("listPublicCategories").Path
	read := func(url, cache string) string {
		t.Helper()
		browsertest.Eval[any](page, fmt.Sprintf(`fetch(%q, {cache: %q}).then(async (r) => r.status + " " +
			(r.headers.get("etag") ? "tagged " : "") + ((await r.json()).payload?.length ?? "none"))
			.catch((e) => e.name).then((text) => document.title = "read " + text), null`, url, cache))
		page.Await(`document.title.startsWith("read ")`)
		defer browsertest.Eval[any](page, `document.title = "", null`)
		return browsertest.Eval[string](page, `document.title`)
	}
	for _, step := range []struct {
		what, path, cache, want string
		asked                   []int // statuses of the requests that reach the server
	}{
		{"the first time", "", "default", "read 200 tagged 1", []int{200}},
		{"again", "", "default", "read 200 tagged 1", nil},
		{"asking whether it has changed", "", "no-cache", "read 200 tagged 1", []int{304}},
		{"what is not there", "/none", "default", "read 404 none", []int{404}},
	} {
		before := len(p.Requests())
		got := read(url+step.path, step.cache)
		var asked []int
		for _, r := range p.Requests()[:len(p.Requests())-before] {
			asked = append(asked, r.Status)
		}
		if got != step.want || !slices.Equal(asked, step.asked) {
			t.Errorf("%s: %q by %v, want %q by %v", step.what, got, asked, step.want, step.asked)
		}
	}
}

// tagOf returns the entity tag of a fresh process's answer: of the list, or of the category with a slug.
func (p *testPortal) tagOf(t testing.TB, function api.Function, slug string) string {
	t.Helper()
	event, _ := json.Marshal(events.APIGatewayV2HTTPRequest{PathParameters: map[string]string{
		"account_id": p.portal.Account.String(), "portal_slug": p.portal.Slug, "category_slug": slug,
	}})
	var answer events.APIGatewayV2HTTPResponse
	raw, err := function.Invoke(t.Context(), event)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer.Headers["etag"]
}
