package bench

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/category/tree"
	"frontdesk/internal/fixture"
)

const publicPath = "/public/api/v1/accounts/{account_id}/portals/{portal_slug}/categories"

// cursors returns different cursors, all before the first category, so that no answer is in the cache.
func cursors() func() string {
	n := 0
	return func() string {
		n++
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"Position":-1,"ID":%d}`, n))
	}
}

// listNewPublic reads a public portal that the process has never read: each request reads another one.
func (bed *testbed) listNewPublic(kind string) workload {
	return workload{program: "list-public-categories", kind: kind, next: func(tb testing.TB) request {
		key := bed.NewPortal(tb, 1, bed.uniqueName("public"), "en")
		var categories []tree.Category
		for i := range 10 {
			categories = append(categories, tree.Category{Name: fmt.Sprintf("category-%d", i)})
		}
		bed.NewCategories(tb, key, categories...)
		bed.Publish(tb, key, true)
		parameters := map[string]string{"account_id": key.Account.String(), "portal_slug": key.Slug}
		query := map[string]string{"locale": "en", "limit": "100"}
		return request{method: "GET", path: publicPath, parameters: parameters, query: query}
	}}
}

// listPublic reads a page of a public portal. Every page but the first comes from what the process has kept.
func (p portal) listPublic(kind string, cursor func() string) workload {
	return workload{program: "list-public-categories", kind: kind, next: func(testing.TB) request {
		query := map[string]string{"locale": "en", "limit": "100", "cursor": cursor()}
		return request{method: "GET", path: publicPath, parameters: p.parameters, query: query}
	}}
}

// showPublic reads a category of a public portal, by its slug.
func (p portal) showPublic(slug string) workload {
	parameters := maps.Clone(p.parameters)
	parameters["category_slug"] = slug
	return repeat("show-public-category", request{
		method: "GET", path: publicPath + "/{category_slug}", parameters: parameters,
		query: map[string]string{"locale": "en"},
	})
}

// BenchmarkPublicReads sends a thousand requests a second for one page of a hundred categories, through the gateway.
// It does not wait for earlier answers. A time counts from when its request was due.
func BenchmarkPublicReads(b *testing.B) {
	const perSecond = 1000
	stack := fixture.Start(b)
	tenant := stack.NewTenant(b)
	stack.Publish(b, tenant.Portal, true)
	bed := &testbed{Stack: stack, Tenant: tenant}
	portal{bed: bed, key: tenant.Portal}.fill(b, 100, asCreated, "1")
	path := "/public" + tenant.Categories() + "?limit=100"
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true}}
	read := func() bool {
		a, err := stack.Try(client, "GET", path, http.Header{"Accept-Encoding": {"gzip"}}, nil)
		return err == nil && a.Status == http.StatusOK
	}
	for range 10 { // so that there are processes, which have read the table
		fixture.Together(20, func(int) bool { return read() })
	}
	for b.Loop() {
		var mu sync.Mutex
		var all sync.WaitGroup
		var times []time.Duration
		failed := 0
		began := time.Now()
		for i := range 2 * perSecond {
			due := began.Add(time.Duration(i) * time.Second / perSecond)
			time.Sleep(time.Until(due))
			all.Go(func() {
				ok := read()
				took := time.Since(due)
				mu.Lock()
				defer mu.Unlock()
				times = append(times, took)
				if !ok {
					failed++
				}
			})
		}
		all.Wait()
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, "p50-ms")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1e3, "p99-ms")
		b.ReportMetric(float64(len(times))/time.Since(began).Seconds(), "requests/s")
		b.ReportMetric(float64(failed), "failed")
	}
}
