package category_test

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"

	"pgregory.net/rapid"
)

// The model is the contract in a hundred lines, without a database: a map of categories, each with its own
// links, from which all that leads to it is found by looking at the others.
type model struct {
	categories map[int64]*modelCategory
}

type modelCategory struct {
	name, slug, locale string
	position           any // int or nil
	parent, root       int64
	related            []int64
}

// apply is the status that a request has to get, and what it makes of the model.
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

func (m *model) ids() []int64 {
	var ids []int64
	for id := range m.categories {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// show is a category of the model as text, and showAnswer one of an answer: the two have to be equal.
func (m *model) show(id int64) string {
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

func showAnswer(v any) string {
	c := v.(object)
	position := c["position"]
	if n, ok := position.(float64); ok {
		position = int(n)
	}
	return fmt.Sprint(idOf(c), c["name"], c["slug"], c["locale"], position, idOf(c["parent_category"]), idOf(c["root_category"]),
		idsOf(c["related_categories"]), idsOf(c["sub_category_ids"]), idsOf(c["associated_category_ids"]))
}

// list is the ids of a locale in the order of the list.
func (m *model) list(locale string) []int64 {
	ids := slices.DeleteFunc(m.ids(), func(id int64) bool { return locale != "" && m.categories[id].locale != locale })
	slices.SortStableFunc(ids, func(a, b int64) int {
		p, pOK := m.categories[a].position.(int)
		q, qOK := m.categories[b].position.(int)
		switch {
		case pOK && qOK:
			return cmp.Compare(p, q)
		case pOK:
			return -1
		case qOK:
			return 1
		}
		return 0
	})
	return ids
}

// TestModel runs random requests of three clients against the service and the model, and compares every
// answer. More of them: go test -run TestModel -rapid.checks=2000 ./internal/category
func TestModel(t *testing.T) {
	t.Parallel()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "20") // for its default of 100 a test run has no time
	}
	d := open(t)
	agents := []string{d.agent, d.newMember(t, d.portal), d.newMember(t, d.portal)}
	serial := int64(1)
	rapid.Check(t, func(rt *rapid.T) {
		serial++
		portal := d.newPortal(t, 1, fmt.Sprintf("p%d", serial), "en", "es", "fr")
		sequence := *d
		sequence.portal, sequence.path = portal, pathOf(portal)
		for _, agent := range agents {
			sequence.join(t, agent)
		}
		m := &model{categories: map[int64]*modelCategory{}}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				fields := drawFields(rt, m, true)
				status, made := m.apply(0, fields, true)
				r := sequence.send(t, rt, agents, "POST", "", object{"category": fields})
				if r.HTTP != status {
					rt.Fatalf("create %v: %d %v, the model says %d", fields, r.HTTP, r.Body, status)
				}
				if status == http.StatusOK {
					id := idOf(r.Body["payload"])
					m.categories[id] = made
					compare(rt, r.Body["payload"], m.show(id))
				}
			},
			"update": func(rt *rapid.T) {
				id := drawID(rt, m, "id")
				fields := drawFields(rt, m, false)
				status, made := m.apply(id, fields, false)
				r := sequence.send(t, rt, agents, "PUT", fmt.Sprintf("/%d", id), object{"category": fields})
				if r.HTTP != status {
					rt.Fatalf("update %d %v: %d %v, the model says %d", id, fields, r.HTTP, r.Body, status)
				}
				if status == http.StatusOK {
					m.categories[id] = made
					compare(rt, r.Body["payload"], m.show(id))
				}
			},
			"delete": func(rt *rapid.T) {
				id := drawID(rt, m, "id")
				status := http.StatusOK
				if m.categories[id] == nil {
					status = http.StatusNotFound
				}
				if r := sequence.send(t, rt, agents, "DELETE", fmt.Sprintf("/%d", id), nil); r.HTTP != status {
					rt.Fatalf("delete %d: %d %v, the model says %d", id, r.HTTP, r.Body, status)
				}
				m.remove(id)
			},
			"list": func(rt *rapid.T) {
				locale := rapid.SampledFrom([]string{"", "en", "fr"}).Draw(rt, "locale")
				r := sequence.send(t, rt, agents, "GET", "?locale="+locale, nil)
				if got, want := idsOf(r.Body["payload"]), m.list(locale); !slices.Equal(got, want) {
					rt.Fatalf("list %q: %v, the model says %v", locale, got, want)
				}
				for _, c := range r.Body["payload"].(array) {
					compare(rt, c, m.show(idOf(c)))
				}
			},
		})
		report, err := check.Run(t.Context(), d.table, append(integrity.Rules, check.Unknown), false, func(int) {})
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range report.Faults {
			rt.Errorf("broken: %s", f.What)
		}
	})
}

func compare(rt *rapid.T, answer any, want string) {
	if got := showAnswer(answer); got != want {
		rt.Fatalf("answered %s\nthe model %s", got, want)
	}
}

func drawID(rt *rapid.T, m *model, label string) int64 {
	return rapid.SampledFrom(append(m.ids(), 4711)).Draw(rt, label)
}

// drawFields draws a request: mostly good ones, out of so few names that they meet.
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
	maybe("position", func() any {
		if rapid.Bool().Draw(rt, "position null") {
			return nil
		}
		return rapid.IntRange(0, 3).Draw(rt, "position")
	})
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

// send sends a request as one of the agents.
func (d *desk) send(t *testing.T, rt *rapid.T, agents []string, method, path string, body any) reply {
	t.Helper()
	agent := rapid.SampledFrom(agents).Draw(rt, "agent")
	return d.call(t, method, d.path+path, agent, body)
}
