package bench

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkPortal shows how each operation grows with the portal: its time, its round trips, and the capacity units
// that it consumes. Only the list, which reads the whole portal, may grow; it is paged at 1,000.
func BenchmarkPortal(b *testing.B) {
	d := open(b)
	for _, size := range []int{10, 1_000, 10_000} {
		h := d.newHandbook(b)
		parent := h.add(b, object{"name": "Guides"})
		h.fill(b, size-2, parent)
		child := object{"name": "Billing", "parent_category_id": parent}
		leaf := h.add(b, child)
		for _, u := range []usage{
			h.lists(),
			h.creates(child),
			h.updates("", leaf),
			h.updates("of-a-parent", parent), // its answer names those below it
			h.deletes(child),
		} {
			b.Run(fmt.Sprintf("categories=%d/%v", size, u), func(b *testing.B) {
				used := d.consumption(b, u)
				t := takeTurns(b, warmTurn, d.warm(b, u))
				t[0].report(b)
				used.report(b)
			})
		}
	}
}

// fill adds categories, fifty of them at the most below parent.
func (h handbook) fill(b *testing.B, n int, parent json.Number) {
	b.Helper()
	for i := range n {
		fields := object{"name": fmt.Sprintf("Category %d", i), "position": i, "description": "What a category of a help center says of itself."}
		if i%10 == 0 && i < 500 {
			fields["parent_category_id"] = parent
		}
		h.add(b, fields)
	}
}
