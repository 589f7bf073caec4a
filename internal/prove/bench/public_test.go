package bench

import (
	"fmt"
	"testing"

	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/tree"
)

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
		return request{Target: fixture.To("listPublicCategories", key).Query("?locale=en&limit=100")}
	}}
}

// listPublic reads a page of a public portal. Every page but the first comes from what the process has kept.
func (p portal) listPublic(kind string) workload {
	w := repeat("list-public-categories", request{
		Target: fixture.To("listPublicCategories", p.key).Query("?locale=en&limit=100"),
	})
	w.kind = kind
	return w
}

// showPublic reads a category of a public portal, by its slug.
func (p portal) showPublic(slug string) workload {
	return repeat("show-public-category", request{
		Target: fixture.To("getPublicCategory", p.key, slug).Query("?locale=en"),
	})
}
