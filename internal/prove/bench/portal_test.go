package bench

import (
	"encoding/json"
	"fmt"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/tree"
)

// BenchmarkPortal shows how each operation grows with the portal: its time, its round trips, and the capacity units
// that it consumes. Only a list may grow, which reads its portal.
func BenchmarkPortal(b *testing.B) {
	bed := newTestbed(b)
	for _, size := range []int{10, 1_000, 10_000} {
		p := bed.startPortal(b)
		parent := p.add(b, object{"name": "Guides"})
		p.fill(b, size-2, parent)
		child := object{"name": "Billing", "parent_category_id": parent}
		leaf := p.add(b, child)
		for _, w := range []workload{
			p.list("page", "?limit=100"),
			p.list("all", ""),
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

// fill adds n categories. Every tenth is the parent of those that follow it; the first fifty are below parent. Their
// positions are not in the order of their creation.
func (p portal) fill(b *testing.B, n int, parent json.Number) {
	b.Helper()
	above, err := parent.Int64()
	if err != nil {
		b.Fatal(err)
	}
	description := "What a category of a help center says of itself."
	var all []tree.Category
	for i := range n {
		at := int64(i) * 7919 % 100_003
		c := tree.Category{
			ID: id.New(), Name: fmt.Sprintf("Category %d", i), Slug: fmt.Sprintf("c%d", i), Locale: "en",
			Description: &description, Position: &at,
		}
		switch {
		case i < 50:
			c.Parent = id.ID(above)
		case i%10 > 0:
			c.Parent = all[i-i%10].ID
		}
		all = append(all, c)
	}
	p.bed.PutCategories(b, p.key, all)
}
