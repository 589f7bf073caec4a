package category_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/tree"

	"pgregory.net/rapid"
)

// model is the contract in some hundred lines, without a database: categories by their ids, each with its own links. It
// finds the links to a category by looking at all the others, which is slow and hard to get wrong.
type model struct {
	categories map[int64]*modelCategory
}

// modelCategory is a category of the model; 0 is the id of no category.
type modelCategory struct {
	name, slug, locale string
	position           any // int or nil
	parent, root       int64
	related            []int64
}

// apply returns the status that a request must get, and the category that it makes or changes. It does not change the
// model: the caller stores the category under the id that the service gave it.
func (m *model) apply(self int64, fields object, create bool) (status int, changed *modelCategory) {
	c := &modelCategory{locale: "en"}
	if !create {
		if m.categories[self] == nil {
			return http.StatusNotFound, nil
		}
		copied := *m.categories[self]
		c = &copied
	}
	link := func(field string, into *int64) {
		if value, given := fields[field]; given {
			*into, _ = value.(int64)
		}
	}
	for field, into := range map[string]*string{"name": &c.name, "slug": &c.slug, "locale": &c.locale} {
		if value, given := fields[field]; given {
			*into = value.(string)
		}
	}
	if value, given := fields["position"]; given {
		c.position = value
	}
	link("parent_category_id", &c.parent)
	link("associated_category_id", &c.root)
	if value, given := fields["related_category_ids"]; given {
		c.related = nil
		for _, r := range value.(array) {
			if !slices.Contains(c.related, r.(int64)) {
				c.related = append(c.related, r.(int64))
			}
		}
	}
	if c.name == "" || c.slug == "" || !slices.Contains([]string{"en", "es", "fr"}, c.locale) {
		return http.StatusUnprocessableEntity, nil
	}
	for _, target := range append([]int64{c.parent, c.root}, c.related...) {
		if target != 0 && (target == self || m.categories[target] == nil) {
			return http.StatusUnprocessableEntity, nil
		}
	}
	// A category that would be above itself makes a circle.
	for above := c.parent; above != 0; above = m.categories[above].parent {
		if above == self {
			return http.StatusUnprocessableEntity, nil
		}
	}
	for other, o := range m.categories {
		if other != self && o.slug == c.slug && o.locale == c.locale {
			return http.StatusUnprocessableEntity, nil
		}
	}
	return http.StatusOK, c
}

// remove deletes a category and all links to it.
func (m *model) remove(category int64) {
	delete(m.categories, category)
	for _, c := range m.categories {
		if c.parent == category {
			c.parent = 0
		}
		if c.root == category {
			c.root = 0
		}
		c.related = slices.DeleteFunc(c.related, func(r int64) bool { return r == category })
	}
}

// ids are those of all categories, ascending: the order of creation.
func (m *model) ids() []int64 {
	var ids []int64
	for id := range m.categories {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// describe returns a category of the model as text. [describeAnswer] returns the same text for an equal answer.
func (m *model) describe(id int64) string {
	c := m.categories[id]
	var subs, associated []int64
	for _, other := range m.ids() {
		if m.categories[other].parent == id {
			subs = append(subs, other)
		}
		if m.categories[other].root == id {
			associated = append(associated, other)
		}
	}
	return fmt.Sprint(id, c.name, c.slug, c.locale, c.position, c.parent, c.root, c.related, subs, associated)
}

// describeAnswer returns a category of an answer as text. JSON has only floats, so it turns the position into an int.
func describeAnswer(v any) string {
	c := v.(object)
	position := c["position"]
	if n, ok := position.(float64); ok {
		position = int(n)
	}
	return fmt.Sprint(idOf(c), c["name"], c["slug"], c["locale"], position,
		idOf(c["parent_category"]), idOf(c["root_category"]), idsOf(c["related_categories"]),
		idsOf(c["sub_category_ids"]), idsOf(c["associated_category_ids"]))
}

// list returns the ids of a locale's categories in the order of the list, "" for all locales.
func (m *model) list(locale string) []int64 {
	ids := slices.DeleteFunc(m.ids(), func(id int64) bool { return locale != "" && m.categories[id].locale != locale })
	slices.SortStableFunc(ids, func(a, b int64) int {
		aPosition, aHas := m.categories[a].position.(int)
		bPosition, bHas := m.categories[b].position.(int)
		switch {
		case aHas && bHas:
			return cmp.Compare(aPosition, bPosition)
		case aHas:
			return -1
		case bHas:
			return 1
		}
		return 0
	})
	return ids
}

// TestModel runs random operations of three clients against the service and the model. The model is the oracle of every
// answer. For more of them: go test -run TestModel -rapid.checks=2000 ./internal/service/category
func TestModel(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		given := false
		flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
		if !given {
			_ = flag.Set("rapid.checks", "8") // the default of 100 takes too long for every test run
		}
		stack := fixture.Start(t, func(o *local.Options) {
			// These requests come one after the other, so they meet no other transaction. They do meet throttling and
			// unprocessed keys.
			o.Contention = &contention.Config{WriteUnits: 500, ReadUnits: 1500, Unprocessed: 0.01}
		})
		users, tokens := make([]id.ID, 3), make([]string, 3)
		for i := range users {
			users[i], tokens[i] = stack.NewAgent(t, time.Now().Add(time.Hour))
		}
		serial := 0
		// A bubble knows no deadline of the test, which rapid would ask for.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			serial++
			portal := stack.NewPortal(t, 1, fmt.Sprintf("p%d", serial), "en", "es", "fr")
			for _, user := range users {
				stack.AddMember(t, portal, user)
			}
			rt.Repeat((&modelTest{
				t: t, tokens: tokens, model: &model{categories: map[int64]*modelCategory{}},
				portal: testPortal{Stack: stack, portal: portal},
			}).operations())
			report, err := check.Run(t.Context(), stack.Table, registry.Kinds(), check.Options{})
			if err != nil {
				rt.Fatal(err)
			}
			for _, f := range report.Faults {
				rt.Errorf("broken: %s", f.What)
			}
		})
	})
}

// modelTest runs one sequence of operations on a portal and on its model.
type modelTest struct {
	t      testing.TB
	portal testPortal
	tokens []string
	model  *model
}

// operations are the steps that rapid chooses from. It finds the shortest sequence that fails.
func (mt *modelTest) operations() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){"create": mt.create, "update": mt.update, "delete": mt.delete, "list": mt.list,
		"show": mt.show, "reorder": mt.reorder}
}

// send sends a request as one of the agents.
func (mt *modelTest) send(rt *rapid.T, to fixture.Target, body any) answer {
	return mt.portal.sendAs(mt.t, rapid.SampledFrom(mt.tokens).Draw(rt, "agent"), to, body)
}

func (mt *modelTest) create(rt *rapid.T) {
	fields := drawFields(rt, mt.model, true)
	status, made := mt.model.apply(0, fields, true)
	r := mt.send(rt, mt.portal.to("createCategory"), object{"category": fields})
	if r.Status != status {
		rt.Fatalf("create %v: %d %v, the model says %d", fields, r.Status, r.Body, status)
	}
	if status == http.StatusOK {
		id := idOf(r.Body["payload"])
		mt.model.categories[id] = made
		compare(rt, r.Body["payload"], mt.model.describe(id))
	}
}

func (mt *modelTest) update(rt *rapid.T) {
	id := drawID(rt, mt.model, "id")
	fields := drawFields(rt, mt.model, false)
	status, made := mt.model.apply(id, fields, false)
	r := mt.send(rt, mt.portal.to("updateCategory", id), object{"category": fields})
	if r.Status != status {
		rt.Fatalf("update %d %v: %d %v, the model says %d", id, fields, r.Status, r.Body, status)
	}
	if status == http.StatusOK {
		mt.model.categories[id] = made
		compare(rt, r.Body["payload"], mt.model.describe(id))
	}
}

func (mt *modelTest) delete(rt *rapid.T) {
	id := drawID(rt, mt.model, "id")
	status := http.StatusOK
	if mt.model.categories[id] == nil {
		status = http.StatusNotFound
	}
	if r := mt.send(rt, mt.portal.to("deleteCategory", id), nil); r.Status != status {
		rt.Fatalf("delete %d: %d %v, the model says %d", id, r.Status, r.Body, status)
	}
	mt.model.remove(id)
}

// list walks all pages of a random size, and compares the order and every category with the model.
func (mt *modelTest) list(rt *rapid.T) {
	locale := rapid.SampledFrom([]string{"", "en", "fr"}).Draw(rt, "locale")
	limit := rapid.SampledFrom([]string{"", "1", "3", "100"}).Draw(rt, "limit")
	var got array
	for cursor, more := "", true; more; {
		query := fmt.Sprintf("?locale=%s&limit=%s&cursor=%s", locale, limit, cursor)
		r := mt.send(rt, mt.portal.to("listCategories").Query(query), nil)
		if r.Status != http.StatusOK {
			rt.Fatalf("list %q by %q: %d %v", locale, limit, r.Status, r.Body)
		}
		got = append(got, r.Body["payload"].(array)...)
		cursor, more = r.Body["meta"].(object)["next_cursor"].(string)
	}
	if got, want := idsOf(got), mt.model.list(locale); !slices.Equal(got, want) {
		rt.Fatalf("list %q by %q: %v, the model says %v", locale, limit, got, want)
	}
	for _, c := range got {
		compare(rt, c, mt.model.describe(idOf(c)))
	}
}

func (mt *modelTest) show(rt *rapid.T) {
	id := drawID(rt, mt.model, "id")
	r := mt.send(rt, mt.portal.to("getCategory", id), nil)
	if exists := mt.model.categories[id] != nil; exists != (r.Status == http.StatusOK) {
		rt.Fatalf("show %d: %d %v, the model says that it exists: %t", id, r.Status, r.Body, exists)
	} else if exists {
		compare(rt, r.Body["payload"], mt.model.describe(id))
	}
}

func (mt *modelTest) reorder(rt *rapid.T) {
	positions := map[int64]any{}
	status := http.StatusOK
	for range rapid.IntRange(1, 4).Draw(rt, "categories") {
		id := drawID(rt, mt.model, "id")
		positions[id] = drawPosition(rt)
		if mt.model.categories[id] == nil {
			status = http.StatusUnprocessableEntity
		}
	}
	hash := object{}
	for id, position := range positions {
		hash[fmt.Sprint(id)] = position
	}
	r := mt.send(rt, mt.portal.to("reorderCategories"), object{"positions_hash": hash})
	if r.Status != status {
		rt.Fatalf("reorder %v: %d %v, the model says %d", hash, r.Status, r.Body, status)
	}
	if status != http.StatusOK {
		return
	}
	for id, position := range positions {
		mt.model.categories[id].position = position
	}
	want := slices.DeleteFunc(mt.model.list(""), func(id int64) bool { _, named := positions[id]; return !named })
	if got := idsOf(r.Body["payload"]); !slices.Equal(got, want) {
		rt.Fatalf("reorder %v: %v, the model says %v", hash, got, want)
	}
	for _, c := range r.Body["payload"].(array) {
		compare(rt, c, mt.model.describe(idOf(c)))
	}
}

// compare ends the sequence at the first answer that differs, so that rapid can shorten it.
func compare(rt *rapid.T, answer any, want string) {
	if got := describeAnswer(answer); got != want {
		rt.Fatalf("answered %s\nthe model %s", got, want)
	}
}

// drawID draws a category of the model, or 4711, which never exists.
func drawID(rt *rapid.T, m *model, label string) int64 {
	return rapid.SampledFrom(append(m.ids(), 4711)).Draw(rt, label)
}

// drawPosition draws from so few positions that categories share one: then the id decides the order.
func drawPosition(rt *rapid.T) any {
	if rapid.Bool().Draw(rt, "position null") {
		return nil
	}
	return rapid.IntRange(0, 3).Draw(rt, "position")
}

// drawFields draws the fields of a request. Most are valid, and they come from so few values that requests collide.
func drawFields(rt *rapid.T, m *model, create bool) object {
	fields := object{}
	maybe := func(field string, draw func() any) {
		if create && (field == "name" || field == "slug") || rapid.IntRange(0, 2).Draw(rt, field+"?") == 0 {
			fields[field] = draw()
		}
	}
	id := func(field string) func() any {
		return func() any {
			if rapid.IntRange(0, 4).Draw(rt, field+" null") == 0 {
				return nil
			}
			return drawID(rt, m, field)
		}
	}
	maybe("name", func() any { return rapid.SampledFrom([]string{"a", "b", ""}).Draw(rt, "name") })
	maybe("slug", func() any { return strings.Repeat("s", rapid.IntRange(0, 12).Draw(rt, "slug")) })
	maybe("locale", func() any { return rapid.SampledFrom([]string{"en", "es", "fr", "xx"}).Draw(rt, "locale") })
	maybe("position", func() any { return drawPosition(rt) })
	maybe("parent_category_id", id("parent"))
	maybe("associated_category_id", id("root"))
	maybe("related_category_ids", func() any {
		list := array{}
		for range rapid.IntRange(0, 4).Draw(rt, "related") {
			list = append(list, drawID(rt, m, "related one"))
		}
		return list
	})
	return fields
}

// TestTreeAndModel makes the same random changes to the model and to stored categories, without a database, and
// compares what the model says with what package tree makes of the categories. A deletion leaves the links of others
// as they are there, as in the table; the model ends them.
func TestTreeAndModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m, stored, next := &model{categories: map[int64]*modelCategory{}}, map[int64]tree.Category{}, int64(0)
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				fields := drawFields(rt, m, true)
				if status, made := m.apply(0, fields, true); status == http.StatusOK {
					next++
					m.categories[next], stored[next] = made, asStored(next, made)
				}
			},
			"update": func(rt *rapid.T) {
				id := drawID(rt, m, "id")
				fields := drawFields(rt, m, false)
				if status, made := m.apply(id, fields, false); status == http.StatusOK {
					before := stored[id]
					after := asStored(id, made)
					// A link that the request does not name stays in the record, also where it leads to nothing.
					if _, named := fields["parent_category_id"]; !named {
						after.Parent = before.Parent
					}
					if _, named := fields["associated_category_id"]; !named {
						after.Root = before.Root
					}
					if _, named := fields["related_category_ids"]; !named {
						after.Related = before.Related
					}
					m.categories[id], stored[id] = made, after
				}
			},
			"delete": func(rt *rapid.T) {
				id := drawID(rt, m, "id")
				m.remove(id)
				delete(stored, id)
			},
			"list": func(rt *rapid.T) {
				q := tree.Query{
					Locale: rapid.SampledFrom([]string{"", "en", "fr"}).Draw(rt, "locale"),
					Limit:  rapid.IntRange(0, 3).Draw(rt, "limit"),
				}
				compareTree(rt, m, stored, q)
			},
		})
	})
}

// asStored returns a category of the model as the table stores it.
func asStored(category int64, c *modelCategory) tree.Category {
	stored := tree.Category{
		ID: id.ID(category), Name: c.name, Slug: c.slug, Locale: c.locale, Parent: id.ID(c.parent), Root: id.ID(c.root),
	}
	if position, has := c.position.(int); has {
		at := int64(position)
		stored.Position = &at
	}
	for _, related := range c.related {
		stored.Related = append(stored.Related, id.ID(related))
	}
	return stored
}

// compareTree walks the pages of a query, and compares the order, every category with what leads to it, and the
// categories above it with the model. The categories are read in a random order.
func compareTree(rt *rapid.T, m *model, stored map[int64]tree.Category, q tree.Query) {
	shown := tree.Portal{Account: 1, Spell: func(locale string) string { return locale }}
	var got []int64
	for more := true; more; {
		l := tree.NewLister(q)
		for _, c := range stored {
			l.Add(c)
		}
		page, cursor := l.Page()
		for _, c := range page {
			text, err := json.Marshal(l.View(shown, c))
			var decoded object
			if err == nil {
				err = json.Unmarshal(text, &decoded)
			}
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, int64(c.ID))
			compare(rt, decoded, m.describe(int64(c.ID)))
			line, _ := l.Line(c.ID)
			var above []id.ID
			for at := int64(c.ID); at != 0; at = m.categories[at].parent {
				above = append(above, id.ID(at))
			}
			if !slices.Equal(line, above) {
				rt.Fatalf("the line of %d is %v, the model says %v", c.ID, line, above)
			}
		}
		if want := len(m.list(q.Locale)); l.Count != want {
			rt.Fatalf("%d are counted, the model says %d", l.Count, want)
		}
		if q.Limit > 0 && cursor != "" && len(page) != q.Limit {
			rt.Fatalf("a page of %d, want %d", len(page), q.Limit)
		}
		more = cursor != ""
		if more {
			q.After, more = tree.ParsePlace(string(cursor))
		}
	}
	if want := m.list(q.Locale); !slices.Equal(got, want) {
		rt.Fatalf("the list %+v is %v, the model says %v", q, got, want)
	}
}
