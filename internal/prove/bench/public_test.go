package bench

import (
	"fmt"
	"maps"
	"testing"

	"frontdesk/internal/service/category/tree"
)

const publicPath = "/public/api/v1/accounts/{account_id}/portals/{portal_slug}/categories"

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
func (p portal) listPublic(kind string) workload {
	w := repeat("list-public-categories", request{
		method: "GET", path: publicPath, parameters: p.parameters,
		query: map[string]string{"locale": "en", "limit": "100"},
	})
	w.kind = kind
	return w
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
