package bench

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkPages reads the first page of a portal's list, and then all pages. pages/op is their number; calls/op,
// trips/op, the units and cpu-ns are for all of them together. peak-bytes is the most memory that the function's
// process held.
func BenchmarkPages(b *testing.B) {
	bed := newTestbed(b)
	for _, size := range []int{100, 1_000, 10_000, 100_000} {
		for _, o := range []struct {
			name     string
			position order
		}{{"as-created", asCreated}, {"scattered", scattered}} {
			b.Run(fmt.Sprintf("categories=%d/%s", size, o.name), func(b *testing.B) {
				p := bed.startPortal(b)
				p.fill(b, size-1, o.position, p.add(b, object{"name": "Guides"}))
				for _, q := range []struct{ name, limit string }{{"first", "100"}, {"walk", "100"}, {"walk", "1000"}} {
					if q.name == "walk" && size > 10_000 && (q.limit == "100" || o.name == "scattered") {
						continue // minutes of the local database, and ten times what 10,000 take
					}
					b.Run(q.name+"-"+q.limit, func(b *testing.B) {
						for b.Loop() {
							p.readPages(b, q.limit, q.name == "walk")
						}
					})
				}
			})
		}
	}
}

// readPages reads the first page of a limit, or all pages, and reports what that took.
func (p portal) readPages(b *testing.B, limit string, all bool) {
	b.Helper()
	proxy := newMeteringProxy(b, p.bed.database())
	s := p.bed.start(b, "list-categories", proxy.URL)
	pages, cpu, query := 0, 0.0, map[string]string{"limit": limit}
	for more := true; more; pages++ {
		r := send(b, s, p.listRequest(query))
		var answer struct {
			Meta struct {
				Next string `json:"next_cursor"`
			}
		}
		if err := json.Unmarshal(r.body, &answer); err != nil {
			b.Fatal(err)
		}
		cpu += float64(r.cost.cpu)
		query["cursor"], more = answer.Meta.Next, all && answer.Meta.Next != ""
	}
	used := proxy.read()
	used.report(b)
	b.ReportMetric(float64(pages), "pages/op")
	b.ReportMetric(used.calls, "calls/op")
	b.ReportMetric(cpu, "cpu-ns")
	b.ReportMetric(s.peak(b), "peak-bytes")
}
