package bench

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkPortal shows how each operation grows with the portal: its time, its round trips, and the capacity units
// that it consumes. Only the list, which reads the whole portal, may grow; it is paged at 1,000.
func BenchmarkPortal(b *testing.B) {
	bed := newTestbed(b)
	for _, size := range []int{10, 1_000, 10_000} {
		p := bed.startPortal(b)
		parent := p.add(b, object{"name": "Guides"})
		p.fill(b, size-2, parent)
		child := object{"name": "Billing", "parent_category_id": parent}
		leaf := p.add(b, child)
		for _, w := range []workload{
			p.list(),
			p.create(child),
			p.update("", leaf),
			p.update("of-a-parent", parent), // the answer names the categories below the parent
			p.delete(child),
		} {
			b.Run(fmt.Sprintf("categories=%d/%v", size, w), func(b *testing.B) {
				used := bed.consumption(b, w)
				r := interleave(b, warmRound, bed.warm(b, w))
				r[0].report(b)
				used.report(b)
			})
		}
	}
}

// fill adds categories, fifty of them at the most below parent.
func (p portal) fill(b *testing.B, n int, parent json.Number) {
	b.Helper()
	for i := range n {
		fields := object{
			"name": fmt.Sprintf("Category %d", i), "position": i,
			"description": "What a category of a help center says of itself.",
		}
		if i%10 == 0 && i < 500 {
			fields["parent_category_id"] = parent
		}
		p.add(b, fields)
	}
}
