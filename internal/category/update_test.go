package category_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUpdateOfEachField: absent keeps, a value sets, the same value changes nothing, null clears or is
// refused.
func TestUpdateOfEachField(t *testing.T) {
	d := open(t)
	a, b := d.named(t, "a", nil), d.named(t, "b", nil)
	show := func(c object) object { // what an update may change
		return object{
			"name": c["name"], "slug": c["slug"], "locale": c["locale"], "description": c["description"], "position": c["position"],
			"parent": idOf(c["parent_category"]), "root": idOf(c["root_category"]), "related": fmt.Sprint(idsOf(c["related_categories"])),
		}
	}
	before := object{"name": "n", "description": "d", "position": 1, "parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a}}
	for name, c := range map[string]struct {
		fields  object
		changes object // of what show shows
		status  int
		message string
	}{
		"nothing":                     {object{}, object{}, 200, ""},
		"unknown fields":              {object{"colour": 1}, object{}, 200, ""},
		"name":                        {object{"name": "m"}, object{"name": "m"}, 200, ""},
		"name, the same":              {object{"name": "n"}, object{}, 200, ""},
		"name null":                   {object{"name": nil}, nil, 422, "Name can't be blank"},
		"name blank":                  {object{"name": " "}, nil, 422, "Name can't be blank"},
		"slug":                        {object{"slug": "other"}, object{"slug": "other"}, 200, ""},
		"slug null":                   {object{"slug": nil}, nil, 422, "Slug can't be blank"},
		"slug blank":                  {object{"slug": ""}, nil, 422, "Slug can't be blank"},
		"slug taken":                  {object{"slug": "a"}, nil, 422, "Locale should be unique in the category and portal"},
		"locale":                      {object{"locale": "fr"}, object{"locale": "fr"}, 200, ""},
		"locale, the same":            {object{"locale": "en"}, object{}, 200, ""},
		"locale null":                 {object{"locale": nil}, nil, 422, "Locale can't be blank"},
		"locale of no portal":         {object{"locale": "xx"}, nil, 422, `Locale xx of category is not part of portal's ["en","es","fr"].`},
		"slug and locale":             {object{"slug": "a", "locale": "es"}, object{"slug": "a", "locale": "es"}, 200, ""},
		"description":                 {object{"description": "e"}, object{"description": "e"}, 200, ""},
		"description, the same":       {object{"description": "d"}, object{}, 200, ""},
		"description empty":           {object{"description": ""}, object{"description": ""}, 200, ""},
		"description null":            {object{"description": nil}, object{"description": nil}, 200, ""},
		"description too long":        {object{"description": strings.Repeat("x", 10_001)}, nil, 422, "Description is too long (maximum is 10000 characters)"},
		"position":                    {object{"position": 0}, object{"position": 0.0}, 200, ""},
		"position null":               {object{"position": nil}, object{"position": nil}, 200, ""},
		"parent":                      {object{"parent_category_id": b}, object{"parent": b}, 200, ""},
		"parent, the same":            {object{"parent_category_id": a}, object{}, 200, ""},
		"parent null":                 {object{"parent_category_id": nil}, object{"parent": int64(0)}, 200, ""},
		"parent that does not exist":  {object{"parent_category_id": 4711}, nil, 422, "Parent category must exist"},
		"root":                        {object{"associated_category_id": b}, object{"root": b}, 200, ""},
		"root, the same":              {object{"associated_category_id": a}, object{}, 200, ""},
		"root null":                   {object{"associated_category_id": nil}, object{"root": int64(0)}, 200, ""},
		"root that does not exist":    {object{"associated_category_id": 4711}, nil, 422, "Associated category must exist"},
		"related":                     {object{"related_category_ids": array{b, a}}, object{"related": fmt.Sprint([]int64{b, a})}, 200, ""},
		"related, the same":           {object{"related_category_ids": array{a}}, object{}, 200, ""},
		"related with repeats":        {object{"related_category_ids": array{b, a, b, b, a}}, object{"related": fmt.Sprint([]int64{b, a})}, 200, ""},
		"related empty":               {object{"related_category_ids": array{}}, object{"related": "[]"}, 200, ""},
		"related that does not exist": {object{"related_category_ids": array{a, 4711}}, nil, 422, "Related categories must exist"},
		"parent = root = related":     {object{"parent_category_id": b, "associated_category_id": b, "related_category_ids": array{b}}, object{"parent": b, "root": b, "related": fmt.Sprint([]int64{b})}, 200, ""},
		"all links cleared":           {object{"parent_category_id": nil, "associated_category_id": nil, "related_category_ids": array{}}, object{"parent": int64(0), "root": int64(0), "related": "[]"}, 200, ""},
		"several faults":              {object{"name": "", "parent_category_id": 4711}, nil, 422, "Name can't be blank, Parent category must exist"},
	} {
		t.Run(name, func(t *testing.T) {
			fields := with(before, object{"slug": strings.NewReplacer(" ", "-", ",", "", "=", "").Replace("u-" + name)})
			x := d.create(t, fields)
			original := d.get(t, x)
			want := show(original)
			for field, value := range c.changes {
				want[field] = value
			}
			r := d.update(t, x, c.fields)
			if r.HTTP != c.status || c.message != "" && r.Body["message"] != c.message {
				t.Fatalf("answer %d %v, want %d %q", r.HTTP, r.Body, c.status, c.message)
			}
			after := d.get(t, x)
			if got := show(after); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("now %v\nwant %v", got, want)
			}
			if c.status == 200 && fmt.Sprint(r.Body["payload"]) != fmt.Sprint(after) {
				t.Errorf("answered %v\nlisted   %v", r.Body["payload"], after)
			}
			if changed := after["updated_at"] != original["updated_at"]; changed != (len(c.changes) > 0) {
				t.Errorf("updated_at went from %v to %v", original["updated_at"], after["updated_at"])
			}
			if r := d.delete(t, x); r.HTTP != 200 {
				t.Errorf("delete: %d %v", r.HTTP, r.Body)
			}
		})
	}
}

func with(o, more object) object {
	all := object{}
	for _, part := range []object{o, more} {
		for name, value := range part {
			all[name] = value
		}
	}
	return all
}

func TestSlugMoves(t *testing.T) {
	d := open(t)
	x := d.named(t, "old", nil)
	if r := d.update(t, x, object{"slug": "new"}); r.HTTP != 200 {
		t.Fatalf("%d %v", r.HTTP, r.Body)
	}
	d.named(t, "old", nil) // the old one is free again
	if r := d.call(t, "POST", d.path, d.agent, object{"category": object{"name": "n", "slug": "new"}}); r.HTTP != 422 {
		t.Errorf("the new one is not taken: %d %v", r.HTTP, r.Body)
	}
	if r := d.update(t, x, object{"slug": "old"}); r.HTTP != 422 {
		t.Errorf("moving back to what is taken: %d %v", r.HTTP, r.Body)
	}
	if r := d.update(t, x, object{"locale": "fr"}); r.HTTP != 200 {
		t.Errorf("%d %v", r.HTTP, r.Body)
	}
	d.named(t, "new", nil)
	if r := d.delete(t, x); r.HTTP != 200 {
		t.Errorf("%d %v", r.HTTP, r.Body)
	}
	d.named(t, "new", object{"locale": "fr"}) // a deleted category's slug is free again
}

func TestNoCategoryIsItsOwnAncestorRootOrRelation(t *testing.T) {
	d := open(t)
	elsewhere := *d
	elsewhere.portal = d.newPortal(t, 1, "elsewhere", "en")
	elsewhere.path, elsewhere.agent = pathOf(elsewhere.portal), d.newMember(t, elsewhere.portal)
	foreign := elsewhere.named(t, "foreign", nil)

	a := d.named(t, "a", nil)
	b := d.named(t, "b", object{"parent_category_id": a})
	c := d.named(t, "c", object{"parent_category_id": b})
	for name, x := range map[string]struct {
		category int64
		fields   object
		message  string
	}{
		"parent to self":               {a, object{"parent_category_id": a}, "Parent category can't be the category itself"},
		"parent to child":              {a, object{"parent_category_id": b}, "Parent category can't be one of the category's own sub-categories"},
		"parent to grandchild":         {a, object{"parent_category_id": c}, "Parent category can't be one of the category's own sub-categories"},
		"root to self":                 {a, object{"associated_category_id": a}, "Associated category can't be the category itself"},
		"related to self":              {a, object{"related_category_ids": array{b, a}}, "Related categories can't include the category itself"},
		"parent of another portal":     {a, object{"parent_category_id": foreign}, "Parent category must exist"},
		"root of another portal":       {a, object{"associated_category_id": foreign}, "Associated category must exist"},
		"related to another portal's":  {a, object{"related_category_ids": array{foreign}}, "Related categories must exist"},
		"to self in every way at once": {a, object{"parent_category_id": a, "associated_category_id": a, "related_category_ids": array{a}}, "Parent category can't be the category itself, Associated category can't be the category itself, Related categories can't include the category itself"},
	} {
		if r := d.update(t, x.category, x.fields); r.HTTP != 422 || r.Body["message"] != x.message {
			t.Errorf("%s: %d %v, want %q", name, r.HTTP, r.Body, x.message)
		}
	}
	for name, x := range map[string]struct {
		category int64
		fields   object
	}{
		"root to child":            {a, object{"associated_category_id": b}},
		"related to child":         {a, object{"related_category_ids": array{b, c}}},
		"parent to grandparent":    {c, object{"parent_category_id": a}},
		"a circle that was opened": {a, object{"parent_category_id": c}},
	} {
		if name == "a circle that was opened" {
			d.update(t, c, object{"parent_category_id": nil})
		}
		if r := d.update(t, x.category, x.fields); r.HTTP != 200 {
			t.Errorf("%s: %d %v", name, r.HTTP, r.Body)
		}
		d.update(t, a, object{"parent_category_id": nil})
		d.update(t, c, object{"parent_category_id": b})
	}
}

func TestDepth(t *testing.T) {
	d := open(t)
	var chain []int64
	for i := range 51 { // each below the one before
		var more object
		if i > 0 {
			more = object{"parent_category_id": chain[i-1]}
		}
		chain = append(chain, d.named(t, fmt.Sprintf("level-%d", i), more))
	}
	x := d.named(t, "x", nil)
	if r := d.update(t, x, object{"parent_category_id": chain[49]}); r.HTTP != 200 {
		t.Errorf("under 50 levels: %d %v", r.HTTP, r.Body)
	}
	if r := d.update(t, x, object{"parent_category_id": chain[50]}); r.HTTP != 422 || r.Body["message"] != "Parent category is nested too deeply (maximum is 50 levels)" {
		t.Errorf("under 51 levels: %d %v", r.HTTP, r.Body)
	}
}

// TestTheLargestTransaction replaces 20 related by 20 others while slug, locale, parent and root change too.
func TestTheLargestTransaction(t *testing.T) {
	d := open(t)
	var ids []int64
	for i := range 44 {
		ids = append(ids, d.named(t, fmt.Sprintf("c%d", i), nil))
	}
	list := func(ids []int64) (list array) {
		for _, id := range ids {
			list = append(list, id)
		}
		return list
	}
	x := d.named(t, "x", object{"parent_category_id": ids[40], "associated_category_id": ids[41], "related_category_ids": list(ids[:20])})
	reversed := slices.Clone(ids[20:40])
	slices.Reverse(reversed)
	r := d.update(t, x, object{"name": "y", "slug": "y", "locale": "fr", "description": "d", "position": 1, "parent_category_id": ids[42], "associated_category_id": ids[43], "related_category_ids": list(reversed)})
	if r.HTTP != 200 {
		t.Fatalf("%d %v", r.HTTP, r.Body)
	}
	if payload := r.Body["payload"].(object); !slices.Equal(idsOf(payload["related_categories"]), reversed) || idOf(payload["parent_category"]) != ids[42] || idOf(payload["root_category"]) != ids[43] {
		t.Errorf("%v", payload)
	}
	d.mustBeWhole(t)
	if r := d.delete(t, x); r.HTTP != 200 {
		t.Errorf("%d %v", r.HTTP, r.Body)
	}
	d.mustBeWhole(t)
}

// TestLocalesThatAPortalLoses: its categories stay and can be changed, but nothing can be made one of it.
func TestLocalesThatAPortalLoses(t *testing.T) {
	d := open(t)
	x := d.named(t, "x", object{"locale": "fr"})
	d.setLocales(t, "en")
	if r := d.update(t, x, object{"name": "y"}); r.HTTP != 200 {
		t.Errorf("changing another field: %d %v", r.HTTP, r.Body)
	}
	if r := d.update(t, x, object{"locale": "fr"}); r.HTTP != 422 {
		t.Errorf("setting the locale that is gone: %d %v", r.HTTP, r.Body)
	}
	if r := d.update(t, x, object{"locale": "en"}); r.HTTP != 200 {
		t.Errorf("editing it back: %d %v", r.HTTP, r.Body)
	}
}
