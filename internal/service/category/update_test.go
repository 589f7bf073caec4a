package category_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// TestUpdateOfEachField shows the four cases of each field: absent keeps the value, a value sets it, the same value
// changes nothing, and null clears it or is refused.
func TestUpdateOfEachField(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		a, b := p.create(t, "a", nil), p.create(t, "b", nil)
		shown := func(c object) object { // the fields that an update may change
			return object{
				"name": c["name"], "slug": c["slug"], "locale": c["locale"],
				"description": c["description"], "position": c["position"],
				"parent": idOf(c["parent_category"]), "root": idOf(c["root_category"]),
				"related": fmt.Sprint(idsOf(c["related_categories"])),
			}
		}
		parent := func(id any) object { return object{"parent_category_id": id} }
		root := func(id any) object { return object{"associated_category_id": id} }
		related := func(ids ...any) object { return object{"related_category_ids": append(array{}, ids...)} }
		before := object{
			"name": "n", "description": "d", "position": 1,
			"parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a},
		}
		links := object{"parent_category_id": b, "associated_category_id": b, "related_category_ids": array{b}}
		noLinks := object{"parent_category_id": nil, "associated_category_id": nil, "related_category_ids": array{}}
		const (
			noName    = "Name can't be blank"
			noSlug    = "Slug can't be blank"
			notUnique = "Locale should be unique in the category and portal"
			noLocale  = `Locale xx of category is not part of portal's ["en","es","fr"].`
			noParent  = "Parent category must exist"
			noRoot    = "Associated category must exist"
			noRelated = "Related categories must exist"
			longText  = "Description is too long (maximum is 10000 characters)"
		)
		for name, c := range map[string]struct {
			fields  object
			changes object // what differs in the shown category
			message string // of 422, "" for 200
		}{
			"nothing":        {object{}, object{}, ""},
			"unknown fields": {object{"colour": 1}, object{}, ""},
			"several faults": {object{"name": "", "parent_category_id": 4711}, nil, noName + ", " + noParent},

			"name":           {object{"name": "m"}, object{"name": "m"}, ""},
			"name, the same": {object{"name": "n"}, object{}, ""},
			"name null":      {object{"name": nil}, nil, noName},
			"name blank":     {object{"name": " "}, nil, noName},
			"name of lines":  {object{"name": "a\rb"}, nil, "Name must not contain control characters"},

			"slug":       {object{"slug": "other"}, object{"slug": "other"}, ""},
			"slug null":  {object{"slug": nil}, nil, noSlug},
			"slug blank": {object{"slug": ""}, nil, noSlug},
			"slug taken": {object{"slug": "a"}, nil, notUnique},

			"locale":              {object{"locale": "fr"}, object{"locale": "fr"}, ""},
			"locale, the same":    {object{"locale": "en"}, object{}, ""},
			"locale null":         {object{"locale": nil}, nil, "Locale can't be blank"},
			"locale of no portal": {object{"locale": "xx"}, nil, noLocale},
			"slug and locale":     {object{"slug": "a", "locale": "es"}, object{"slug": "a", "locale": "es"}, ""},

			"description":           {object{"description": "e"}, object{"description": "e"}, ""},
			"description, the same": {object{"description": "d"}, object{}, ""},
			// The empty string is a value, and null is none. Both are kept apart.
			"description empty":    {object{"description": ""}, object{"description": ""}, ""},
			"description null":     {object{"description": nil}, object{"description": nil}, ""},
			"description too long": {object{"description": strings.Repeat("x", 10_001)}, nil, longText},

			"position":      {object{"position": 0}, object{"position": 0.0}, ""},
			"position null": {object{"position": nil}, object{"position": nil}, ""},

			"parent":                     {parent(b), object{"parent": b}, ""},
			"parent, the same":           {parent(a), object{}, ""},
			"parent null":                {parent(nil), object{"parent": int64(0)}, ""},
			"parent that does not exist": {parent(4711), nil, noParent},

			"root":                     {root(b), object{"root": b}, ""},
			"root, the same":           {root(a), object{}, ""},
			"root null":                {root(nil), object{"root": int64(0)}, ""},
			"root that does not exist": {root(4711), nil, noRoot},

			"related": {related(b, a), object{"related": fmt.Sprint([]int64{b, a})}, ""},
			// An update of nothing writes nothing, so updated_at stays.
			"related, the same": {related(a), object{}, ""},
			// The first place of each counts.
			"related with repeats":        {related(b, a, b, b, a), object{"related": fmt.Sprint([]int64{b, a})}, ""},
			"related empty":               {related(), object{"related": "[]"}, ""},
			"related that does not exist": {related(a, 4711), nil, noRelated},

			"parent = root = related": {links, object{"parent": b, "root": b, "related": fmt.Sprint([]int64{b})}, ""},
			"all links cleared":       {noLinks, object{"parent": int64(0), "root": int64(0), "related": "[]"}, ""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				x := p.create(t, strings.NewReplacer(" ", "-", ",", "", "=", "").Replace("u-"+name), before)
				// The list shows the category before and after, so that the answer alone is not believed.
				original := p.get(t, x)
				want := shown(original)
				maps.Copy(want, c.changes)
				status := 200
				if c.message != "" {
					status = 422
				}
				r := p.update(t, x, c.fields)
				if r.Status != status || c.message != "" && r.Body["message"] != c.message {
					t.Fatalf("answer %d %v, want %d %q", r.Status, r.Body, status, c.message)
				}
				after := p.get(t, x)
				if got := shown(after); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("now %v\nwant %v", got, want)
				}
				if status == 200 && fmt.Sprint(r.Body["payload"]) != fmt.Sprint(after) {
					t.Errorf("answered %v\nlisted   %v", r.Body["payload"], after)
				}
				if changed := after["updated_at"] != original["updated_at"]; changed != (len(c.changes) > 0) {
					t.Errorf("updated_at went from %v to %v", original["updated_at"], after["updated_at"])
				}
				if r := p.delete(t, x); r.Status != 200 {
					t.Errorf("delete: %d %v", r.Status, r.Body)
				}
			})
		}
	})
}

// TestASlugThatWasLeftIsFree shows that a change of the slug or locale, and a deletion, each give the slug free.
func TestASlugThatWasLeftIsFree(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		x := p.create(t, "old", nil)
		if r := p.update(t, x, object{"slug": "new"}); r.Status != 200 {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
		p.create(t, "old", nil) // the old one is free again
		if r := p.post(t, object{"name": "n", "slug": "new"}); r.Status != 422 {
			t.Errorf("the new one is not taken: %d %v", r.Status, r.Body)
		}
		if r := p.update(t, x, object{"slug": "old"}); r.Status != 422 {
			t.Errorf("moving back to what is taken: %d %v", r.Status, r.Body)
		}
		if r := p.update(t, x, object{"locale": "fr"}); r.Status != 200 {
			t.Errorf("%d %v", r.Status, r.Body)
		}
		p.create(t, "new", nil)
		if r := p.delete(t, x); r.Status != 200 {
			t.Errorf("%d %v", r.Status, r.Body)
		}
		p.create(t, "new", object{"locale": "fr"}) // a deleted category's slug is free again
	})
}

// TestSpellingsOfASlugAreOne shows that é is one slug, as one character (NFC) and as a letter with a combining accent.
func TestSpellingsOfASlugAreOne(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		const composed, decomposed = "caf\u00e9", "cafe\u0301"
		x := p.create(t, decomposed, nil)
		if got := p.get(t, x)["slug"]; got != composed {
			t.Errorf("it is %+q", got)
		}
		for _, slug := range []string{composed, decomposed} {
			p.post(t, object{"name": "n", "slug": slug}).Is(t, 422, object{"code": "slug_taken"})
			before := p.get(t, x)
			r := p.update(t, x, object{"slug": slug})
			r.Is(t, 200, nil)
			expect.Equal(t, fmt.Sprint(r.Body["payload"]), fmt.Sprint(before), "the slug that it has: payload")
		}
		p.create(t, decomposed, object{"locale": "es"})
		p.MustBeWhole(t)
	})
}

// TestSlugsFromBeforeARuleStay shows that a category whose slug is older than a rule can be read, changed and deleted,
// and that a request may send this slug as it is.
func TestSlugsFromBeforeARuleStay(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		for _, slug := range []string{"..", "a\u200bb", "cafe\u0301"} {
			x := int64(p.NewCategory(t, p.portal, tree.Category{Name: slug}))
			if got := p.get(t, x)["slug"]; got != slug {
				t.Errorf("it is %+q", got)
			}
			for _, fields := range []object{{"name": "m"}, {"slug": slug, "name": "o"}, {"slug": slug}} {
				r := p.update(t, x, fields)
				r.Is(t, 200, nil)
				expect.Equal[any](t, r.Body["payload"].(object)["slug"], slug, slug)
			}
			if r := p.update(t, x, object{"slug": "good"}); r.Status != 200 {
				t.Errorf("%+q: another slug: %d %v", slug, r.Status, r.Body)
			}
			y := int64(p.NewCategory(t, p.portal, tree.Category{Name: slug})) // the slug is free again
			for _, c := range []int64{x, y} {
				if r := p.delete(t, c); r.Status != 200 {
					t.Errorf("%+q: delete: %d %v", slug, r.Status, r.Body)
				}
			}
		}
		p.MustBeWhole(t)
	})
}

// TestNoCategoryIsItsOwnAncestorRootOrRelation shows which links are refused, and that links that only look like a
// circle are allowed.
func TestNoCategoryIsItsOwnAncestorRootOrRelation(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		elsewhere := start(t)
		foreign := elsewhere.create(t, "foreign", nil)

		a := p.create(t, "a", nil)
		b := p.create(t, "b", object{"parent_category_id": a})
		c := p.create(t, "c", object{"parent_category_id": b})
		toItself := object{"parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a}}
		const (
			parentItself  = "Parent category can't be the category itself"
			rootItself    = "Associated category can't be the category itself"
			relatedItself = "Related categories can't include the category itself"
			parentBelow   = "Parent category can't be one of the category's own sub-categories"
			noRoot        = "Associated category must exist"
			noRelated     = "Related categories must exist"
		)
		for name, x := range map[string]struct {
			category int64
			fields   object
			message  string
		}{
			"parent to self":              {a, object{"parent_category_id": a}, parentItself},
			"parent to child":             {a, object{"parent_category_id": b}, parentBelow},
			"parent to grandchild":        {a, object{"parent_category_id": c}, parentBelow},
			"root to self":                {a, object{"associated_category_id": a}, rootItself},
			"related to self":             {a, object{"related_category_ids": array{b, a}}, relatedItself},
			"parent of another portal":    {a, object{"parent_category_id": foreign}, "Parent category must exist"},
			"root of another portal":      {a, object{"associated_category_id": foreign}, noRoot},
			"related to another portal's": {a, object{"related_category_ids": array{foreign}}, noRelated},
			"to self in every way at once": {
				a, toItself, parentItself + ", " + rootItself + ", " + relatedItself,
			},
		} {
			if r := p.update(t, x.category, x.fields); r.Status != 422 || r.Body["message"] != x.message {
				t.Errorf("%s: %d %v, want %q", name, r.Status, r.Body, x.message)
			}
		}
		for name, x := range map[string]struct {
			category int64
			fields   object
		}{
			// Only parents must not make a circle. The other links are between any two categories.
			"root to child":            {a, object{"associated_category_id": b}},
			"related to child":         {a, object{"related_category_ids": array{b, c}}},
			"parent to grandparent":    {c, object{"parent_category_id": a}},
			"a circle that was opened": {a, object{"parent_category_id": c}},
		} {
			// Without this the move would make a circle.
			if name == "a circle that was opened" {
				p.update(t, c, object{"parent_category_id": nil})
			}
			if r := p.update(t, x.category, x.fields); r.Status != 200 {
				t.Errorf("%s: %d %v", name, r.Status, r.Body)
			}
			p.update(t, a, object{"parent_category_id": nil})
			p.update(t, c, object{"parent_category_id": b})
		}
	})
}

// TestParentsAreNestedAtMost50Deep shows the limit of depth for a category that moves. A move that changes all else as
// well still fits into one transaction.
func TestParentsAreNestedAtMost50Deep(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		var chain []int64
		for i := range 51 { // a chain, each category below the previous one
			var more object
			if i > 0 {
				more = object{"parent_category_id": chain[i-1]}
			}
			chain = append(chain, p.create(t, fmt.Sprintf("level-%d", i), more))
		}
		x := p.create(t, "x", object{"parent_category_id": chain[0], "associated_category_id": chain[0]})
		r := p.update(t, x, object{"parent_category_id": chain[50]})
		r.Is(t, 422, object{"message": "Parent category is nested too deeply (maximum is 50 levels)"})
		var others array
		for i := range tree.MaxRelated {
			c := tree.Category{Name: fmt.Sprintf("other-%d", i)}
			others = append(others, int64(p.NewCategory(t, p.portal, c)))
		}
		p.update(t, x, object{
			"slug": "y", "parent_category_id": chain[49], "associated_category_id": others[0],
			"related_category_ids": others,
		}).Is(t, 200, nil)
		p.MustBeWhole(t)
	})
}

// list turns ids into a list of a request's body.
func list(ids []int64) (l array) {
	for _, id := range ids {
		l = append(l, id)
	}
	return l
}

// TestTheLargestTransaction replaces all 20 related categories, and with them the slug, locale, parent and root. It
// must stay within the 100 operations of a DynamoDB transaction.
func TestTheLargestTransaction(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		var ids []int64
		for i := range 44 {
			ids = append(ids, p.create(t, fmt.Sprintf("c%d", i), nil))
		}
		x := p.create(t, "x", object{
			"parent_category_id": ids[40], "associated_category_id": ids[41], "related_category_ids": list(ids[:20]),
		})
		reversed := slices.Clone(ids[20:40])
		slices.Reverse(reversed)
		r := p.update(t, x, object{
			"name": "y", "slug": "y", "locale": "fr", "description": "d", "position": 1,
			"parent_category_id": ids[42], "associated_category_id": ids[43], "related_category_ids": list(reversed),
		})
		if r.Status != 200 {
			t.Fatalf("%d %v", r.Status, r.Body)
		}
		payload := r.Body["payload"].(object)
		expect.Equal(t, idsOf(payload["related_categories"]), reversed)
		expect.Equal(t, idOf(payload["parent_category"]), ids[42])
		expect.Equal(t, idOf(payload["root_category"]), ids[43])
		p.MustBeWhole(t)
		if r := p.delete(t, x); r.Status != 200 {
			t.Errorf("%d %v", r.Status, r.Body)
		}
		p.MustBeWhole(t)
	})
}

// TestLocalesThatAPortalLoses shows that the categories of a former locale stay, are listed and can be changed. No
// category can get this locale any more.
func TestLocalesThatAPortalLoses(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		x := p.create(t, "x", object{"locale": "fr"})
		fewer := portal.Portal{Account: p.portal.Account, Slug: p.portal.Slug, Locales: []string{"en"}}
		if _, err := (portal.Store{Table: p.Table}).Update(t.Context(), fewer, nil); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]int64{"?locale=fr": {x}, "?locale=es": nil} {
			expect.Equal(t, idsOf(p.list(t, query)), want, query)
		}
		if r := p.update(t, x, object{"name": "y"}); r.Status != 200 {
			t.Errorf("changing another field: %d %v", r.Status, r.Body)
		}
		if r := p.update(t, x, object{"locale": "fr"}); r.Status != 422 {
			t.Errorf("setting the locale that is gone: %d %v", r.Status, r.Body)
		}
		if r := p.update(t, x, object{"locale": "en"}); r.Status != 200 {
			t.Errorf("editing it back: %d %v", r.Status, r.Body)
		}
	})
}

// TestSpellingsOfALocaleAreOne shows that neither case nor - or _ make a difference, wherever a locale is given.
// Answers have the portal's own spelling, also after it has changed.
// https://www.rfc-editor.org/rfc/rfc5646.html#section-2.1.1
func TestSpellingsOfALocaleAreOne(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		p := start(t)
		change := func(locales ...string) {
			t.Helper()
			to := portal.Portal{Account: p.portal.Account, Slug: p.portal.Slug, Locales: locales}
			if _, err := (portal.Store{Table: p.Table}).Update(t.Context(), to, nil); err != nil {
				t.Fatal(err)
			}
		}
		change("en", "pt_BR")
		p.Publish(t, p.portal, true)
		x := p.create(t, "x", object{"locale": "pt-br"})
		shown := func(spelling string) {
			t.Helper()
			expect.Equal[any](t, p.show(t, x)["locale"], spelling, "shown")
			for _, query := range []string{"pt_BR", "pt-BR", "PT-br"} {
				list := p.list(t, "?locale="+query)
				expect.Equal(t, idsOf(list), []int64{x}, "the list of "+query)
				expect.Equal[any](t, list[0].(object)["locale"], spelling, "its spelling")
			}
		}
		shown("pt_BR")
		for _, query := range []string{"pt_BR", "pt-BR", "PT-br"} {
			for to, of := range map[fixture.Target]func(any) any{
				p.to("getPublicCategory", "x"): func(payload any) any { return payload },
				p.to("listPublicCategories"):   func(payload any) any { return payload.(array)[0] },
			} {
				r := p.read(t, to.Query("?locale="+query))
				r.Is(t, 200, nil)
				expect.Equal[any](t, of(r.Body["payload"]).(object)["locale"], "pt_BR", r.Request)
			}
		}
		p.post(t, object{"name": "n", "slug": "x", "locale": "PT_BR"}).Is(t, 422, object{"code": "slug_taken"})
		before := p.show(t, x)
		p.update(t, x, object{"locale": "Pt-bR"}).Is(t, 200, nil)
		expect.Equal(t, fmt.Sprint(p.show(t, x)), fmt.Sprint(before), "after an update to the same locale")
		change("EN", "PT-br")
		shown("PT-br")
		expect.Equal[any](t, p.show(t, p.create(t, "y", nil))["locale"], "EN", "of the default locale")
		change("EN")
		shown("PT-br") // a former locale
		const notPart = `Locale pt_br of category is not part of portal's ["EN"].`
		p.update(t, x, object{"locale": "pt_br"}).Is(t, 422, object{"message": notPart})
		p.update(t, x, object{"locale": "en"}).Is(t, 200, nil)
		p.MustBeWhole(t)
	})
}
