package category_test

import (
	"net/http"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestChatwootsRequestSpec has the cases of Chatwoot's categories_controller_spec.rb under their names. There, requests
// are forms with the headers of a browser's session; here they have the same fields in JSON, and an agent's token.
// Where the answer here differs, the name of the case says so, and departures.md says why.
func TestChatwootsRequestSpec(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, check := range map[string]func(testing.TB, chatwootPortal){
			"POST: unauthenticated: returns unauthorized": func(t testing.TB, p chatwootPortal) {
				p.sendAs(t, "", p.to("createCategory"), object{}).Is(t, 401, nil)
			},
			"POST: creates category": func(t testing.TB, p chatwootPortal) {
				r := p.post(t, p.fields("test_category_1"))
				r.Is(t, http.StatusOK, nil)
				made := r.Body["payload"].(object)
				expect.Equal(t, idsOf(made["related_categories"]), []int64{p.related1, p.related2},
					"related categories")
				expect.Equal(t, idOf(made["parent_category"]), p.category)
				expect.Equal(t, idOf(made["root_category"]), p.associate)
				expect.Equal(t, idsOf(p.show(t, p.category)["sub_category_ids"]), []int64{idOf(made)}, "sub-categories")
				expect.Equal(t, idsOf(p.show(t, p.associate)["associated_category_ids"]), []int64{idOf(made)})
			},
			"POST: creates multiple sub_categories under one parent_category": func(t testing.TB, p chatwootPortal) {
				one, two := p.create(t, "test_category_1", p.fields("test_category_1")), p.create(t, "t", p.fields("t"))
				expect.Equal(t, idsOf(p.show(t, p.category)["sub_category_ids"]), []int64{one, two}, "sub-categories")
			},
			"POST: creates multiple associated_categories with one category": func(t testing.TB, p chatwootPortal) {
				one, two := p.create(t, "test_category_1", p.fields("test_category_1")), p.create(t, "t", p.fields("t"))
				associated := idsOf(p.show(t, p.associate)["associated_category_ids"])
				expect.Equal(t, associated, []int64{one, two}, "associated categories")
			},
			"POST: will throw an error on locale, category_id uniqueness": func(t testing.TB, p chatwootPortal) {
				p.post(t, p.fields("test_category_1")).Is(t, http.StatusOK, nil)
				again := p.post(t, p.fields("test_category_1"))
				again.Is(t, 422, object{"message": "Locale should be unique in the category and portal"})
			},
			"POST: will throw an error slug presence": func(t testing.TB, p chatwootPortal) {
				r := p.post(t, object{"name": "test_category", "description": "test_description", "locale": "es"})
				r.Is(t, 422, object{"message": "Slug can't be blank"})
			},
			"PUT: unauthenticated: returns unauthorized": func(t testing.TB, p chatwootPortal) {
				p.sendAs(t, "", p.to("updateCategory", p.category), object{}).Is(t, 401, nil)
			},
			"PUT: updates category": func(t testing.TB, p chatwootPortal) {
				r := p.update(t, p.category, object{
					"name": "test_category_2", "description": "test_description", "position": 1,
					"related_category_ids": array{p.related1}, "parent_category_id": p.related2,
				})
				r.Is(t, http.StatusOK, nil)
				updated := r.Body["payload"].(object)
				expect.Equal(t, updated["name"], "test_category_2")
				expect.Equal(t, idsOf(updated["related_categories"]), []int64{p.related1}, "related categories")
				expect.Equal(t, idOf(updated["parent_category"]), p.related2)
				expect.Equal(t, idsOf(p.show(t, p.related2)["sub_category_ids"]), []int64{p.category}, "sub-categories")
			},
			"PUT: updates related categories": func(t testing.TB, p chatwootPortal) {
				p.update(t, p.category, object{"related_category_ids": array{p.related2}}).Is(t, http.StatusOK, nil)
				r := p.update(t, p.category, object{"related_category_ids": array{p.related1}})
				r.Is(t, http.StatusOK, nil)
				updated := r.Body["payload"].(object)
				expect.Equal(t, updated["name"], "category")
				expect.Equal(t, updated["position"], 1.0)
				expect.Equal(t, idsOf(updated["related_categories"]), []int64{p.related1}, "related categories")
				expect.Equal(t, len(p.show(t, p.related1)["related_categories"].(array)), 0, "of the other")
			},
			"PUT: update reverse associations for related categories": func(t testing.TB, p chatwootPortal) {
				p.update(t, p.category, object{"related_category_ids": array{p.related2}}).Is(t, http.StatusOK, nil)
				p.update(t, p.related2, object{"related_category_ids": array{p.category}}).Is(t, http.StatusOK, nil)
				for of, want := range map[int64]int64{p.category: p.related2, p.related2: p.category} {
					expect.Equal(t, idsOf(p.show(t, of)["related_categories"]), []int64{want}, "related categories")
				}
			},
			"DELETE: unauthenticated: returns unauthorized": func(t testing.TB, p chatwootPortal) {
				p.sendAs(t, "", p.to("deleteCategory", p.category), nil).Is(t, 401, nil)
			},
			"DELETE: deletes category": func(t testing.TB, p chatwootPortal) {
				p.delete(t, p.category).Is(t, http.StatusOK, nil)
				expect.Equal(t, p.get(t, p.category), nil, "the category in the list")
			},
			"GET: unauthenticated: returns unauthorized": func(t testing.TB, p chatwootPortal) {
				p.sendAs(t, "", p.to("listCategories"), nil).Is(t, 401, nil)
			},
			"GET: get all categories in portal": func(t testing.TB, p chatwootPortal) {
				p.create(t, "category_slug_2", object{"locale": "es"})
				expect.Equal(t, len(p.list(t, "")), 5, "number of categories")
			},
			"reorder: unauthenticated: returns unauthorized": func(t testing.TB, p chatwootPortal) {
				p.sendAs(t, "", p.to("reorderCategories"), p.positions()).Is(t, 401, nil)
			},
			"reorder: returns not found when portal does not exist: here 403": func(t testing.TB, p chatwootPortal) {
				nowhere := testPortal{Stack: p.Stack, portal: table.Portal{Account: 1, Slug: "invalid-portal-slug"}}
				r := p.send(t, nowhere.to("reorderCategories"), p.positions())
				r.Is(t, 403, object{"code": "forbidden"})
			},
		} {
			localtest.Case(t, name, func(t testing.TB) { check(t, newChatwootPortal(t)) })
		}
	})
}

// chatwootPortal is a portal with the four categories that the spec begins with.
type chatwootPortal struct {
	*testPortal
	category, associate, related1, related2 int64
}

// newChatwootPortal makes a portal with the categories that the spec begins with.
func newChatwootPortal(t testing.TB) chatwootPortal {
	t.Helper()
	p := chatwootPortal{testPortal: start(t)}
	p.category = p.create(t, "category_slug", object{"name": "category", "position": 1})
	p.associate = p.create(t, "associated_category_slug", object{"name": "associated category", "position": 2})
	p.related1 = p.create(t, "category_slug_1", object{"name": "related category 1", "position": 3})
	p.related2 = p.create(t, "category_slug_2", object{"name": "related category 2", "position": 4})
	return p
}

// fields returns a category with all kinds of links.
func (p chatwootPortal) fields(slug string) object {
	return object{
		"name": slug, "description": "test_description", "position": 5, "locale": "es", "slug": slug,
		"parent_category_id": p.category, "associated_category_id": p.associate,
		"related_category_ids": array{p.related1, p.related2},
	}
}

// positions returns the body of the spec's reorder requests, which nobody here gets to apply.
func (p chatwootPortal) positions() object {
	return object{"positions_hash": positionsOf([]int64{p.associate, p.related2, p.related1, p.category}, 10)}
}

// TestPublishedClients sends the requests of published clients of Chatwoot's categories. The name of each case has the
// repository and the commit that was read. departures.md lists the cases whose request is refused here.
func TestPublishedClients(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := newChatwootPortal(t)
		for name, c := range map[string]struct {
			to     fixture.Target
			body   any
			status int
			told   object // fields of the answer
		}{
			"serversmx/n8n-nodes-chatwoot@ffe0459: update": {
				p.to("updateCategoryByPatch", p.category), object{"category": object{"name": "Renamed"}}, 200,
				object{"warnings": nil},
			},
			"serversmx/n8n-nodes-chatwoot@ffe0459: create with an icon": {
				p.to("createCategory"), object{
					"category": object{"icon": "📘", "name": "N", "slug": "n8n", "locale": "en"},
				}, 200,
				object{"warnings": array{"unknown field category.icon is ignored"}},
			},
			"serversmx/n8n-nodes-chatwoot@ffe0459: list": {p.to("listCategories").Query("?locale=en"), nil, 200, nil},
			"any that counts pages: the first":           {p.to("listCategories").Query("?page=1"), nil, 200, nil},
			// Such a client asks on until a page is empty. The first page again and again would never end that.
			"any that counts pages: the second": {
				p.to("listCategories").Query("?page=2"), nil, 400, object{
					"message": "page must be 1: pages have no numbers; limit says how many a page has, " +
						"and cursor, the next_cursor of the page before, where it begins",
				},
			},
			"salmonumbrella/chatwoot-cli@10267ec: create, without the key category": {
				p.to("createCategory"), object{"name": "N", "slug": "cli"}, 200, nil,
			},
			"salmonumbrella/chatwoot-cli@10267ec: update by a slug": {
				p.to("updateCategoryByPatch", "category_slug"), object{"name": "N"}, 400,
				object{"message": "category_id must be an integer"},
			},
			"williamdesenvolva/chatwoot-mcp@be0d0ff: create, without the key category": {
				p.to("createCategory"), object{"name": "N", "slug": "mcp", "locale": "en"}, 200, nil,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				// Not by the client that compares requests with this API's own description.
				r, err := p.Try(p.Client(), c.to, fixture.Token(p.agent), c.body)
				if err != nil {
					t.Fatal(err)
				}
				r.Is(t, c.status, c.told)
			})
		}
		localtest.Case(t, "LGinC/chatwootApi@053aca5: create in a portal by its number", func(t testing.TB) {
			numbered := testPortal{Stack: p.Stack, portal: table.Portal{Account: 1, Slug: "7"}, agent: p.agent}
			r := numbered.send(t, numbered.to("createCategory"), object{
				"name": "N", "slug": "dotnet", "locale": "en", "icon": "📘",
			})
			r.Is(t, 403, object{"code": "forbidden"})
		})
		localtest.Case(t, "LGinC/chatwootApi@053aca5: list all portals", func(t testing.TB) {
			for _, path := range []string{"/api/v1/accounts/1/portals", "/public/api/v1/accounts/1/portals"} {
				p.send(t, fixture.At("GET", path), nil).Is(t, 404, object{"message": "Not Found"})
			}
		})
		localtest.Case(t, "PATCH does what PUT does", func(t testing.TB) {
			given := object{"category": object{"description": "D"}}
			put, patch := p.to("updateCategory", p.category), p.to("updateCategoryByPatch", p.category)
			updated, patched := p.send(t, put, given), p.send(t, patch, given)
			updated.Is(t, 200, nil)
			expect.Equal(t, patched.Raw, updated.Raw, "answer to PATCH")
			p.send(t, p.to("updateCategoryByPatch", 4711), given).Is(t, 404, nil)
			p.send(t, patch, object{"category": object{"name": ""}}).Is(t, 422, nil)
			p.sendAs(t, "", patch, given).Is(t, 401, nil)
		})
	})
}
