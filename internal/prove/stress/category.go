package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// maxCategories is how many categories a client keeps.
const maxCategories = 6

var locales = []string{"en", "es", "fr"}

// target draws a category to link to, and sometimes none.
func (c *client) target(except int64) int64 {
	targets := &c.tenant.targets
	targets.mu.Lock()
	defer targets.mu.Unlock()
	id, _ := choose(c.rng, targets.open)
	if id == except || c.chance(0.2) {
		return 0
	}
	return id
}

// parent draws a parent that is older than the category, so that no order of moves makes a circle.
func (c *client) parent(category int64) int64 {
	if id := c.target(category); category == 0 || id < category {
		return id
	}
	return 0
}

// relations draws the related categories of a category.
func (c *client) relations(category int64) (related [maxRelated]int64) {
	related = [maxRelated]int64{c.target(category), c.target(category)}
	if related[0] == related[1] {
		related[1] = 0
	}
	return related
}

// relatedIDs returns the related categories as a request names them, without the empty places.
func (f fields) relatedIDs() []int64 {
	return slices.DeleteFunc(slices.Clone(f.related[:]), func(id int64) bool { return id == 0 })
}

// orNull returns null for no link.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// callPortal calls an endpoint of the tenant's portal.
func (c *client) callPortal(ctx context.Context, e *endpoint, body any, values ...any) answer {
	values = append([]any{c.tenant.Portal}, values...)
	return c.do(ctx, request{endpoint: e, values: values, token: c.tenant.AgentToken, body: body})
}

func payload[T any](a answer) T { return read[struct{ Payload T }](a).Payload }

// slugTaken is the document's sentence for a slug that is taken.
const slugTaken = "Locale should be unique in the category and portal"

// createCategory creates a category, and repeats the request until it is acknowledged. Every client has slugs of its
// own. So "taken" after an unknown answer proves that an earlier attempt was applied; without one it is a violation.
func (c *client) createCategory(ctx context.Context) {
	if len(c.changeable()) >= maxCategories {
		return
	}
	slug := c.name("category")
	f := fields{name: slug, slug: slug, locale: locales[c.rng.IntN(len(locales))], position: 1 + c.rng.Int64N(9)}
	f.parent, f.root, f.related = c.parent(0), c.target(0), c.relations(0)
	body := object{"category": object{
		"name": f.name, "slug": f.slug, "locale": f.locale, "position": f.position,
		"parent_category_id":     orNull(f.parent),
		"associated_category_id": orNull(f.root), "related_category_ids": f.relatedIDs(),
	}}
	m := &categoryModel{slug: slug, states: states[fields]{f}}
	unknown := false
	for i := 0; i < attempts && !m.created; i++ {
		a := c.callPortal(ctx, categoryCreate, body)
		invalid := a.status == http.StatusUnprocessableEntity
		taken := invalid && a.fault() == slugTaken
		switch {
		case a.ok():
			shown := payload[categoryView](a)
			if !f.match(shown, &c.tenant.targets) {
				c.violations.add("created the category %+v, but it is %s", f, a)
			}
			m.id, m.created = shown.ID, true
			c.tenant.targets.add(m.id)
		case taken && unknown:
			m.created = true // by an earlier request that was not acknowledged
		case taken, invalid && !f.mayDangle(&c.tenant.targets):
			c.violations.add("a good category is refused: %+v: %s", f, a)
		}
		unknown = unknown || a.unknown()
	}
	if unknown {
		m.settles = time.Now().Add(latest)
	}
	if m.created || unknown {
		c.categories = append(c.categories, m)
	}
}

// changeable returns the categories that the client can change. It knows their ids, has not begun to delete them, and
// no unknown request about them can still arrive.
func (c *client) changeable() []*categoryModel {
	return slices.DeleteFunc(slices.Clone(c.categories), func(m *categoryModel) bool {
		return m.id == 0 || c.tenant.targets.isRetired(m.id) || time.Now().Before(m.settles)
	})
}

// change draws a change of a category: as JSON, and as a function of its fields.
func (c *client) change(m *categoryModel) (body object, apply func(fields) fields) {
	switch c.rng.IntN(5) {
	case 0:
		name := c.name("name")
		return object{"name": name}, func(f fields) fields { f.name = name; return f }
	case 1:
		slug := c.name("slug")
		return object{"slug": slug}, func(f fields) fields { f.slug = slug; return f }
	case 2:
		parent := c.parent(m.id)
		return object{"parent_category_id": orNull(parent)}, func(f fields) fields { f.parent = parent; return f }
	case 3:
		f := fields{root: c.target(m.id), related: c.relations(m.id)}
		return object{"associated_category_id": orNull(f.root), "related_category_ids": f.relatedIDs()},
			func(g fields) fields { g.root, g.related = f.root, f.related; return g }
	}
	position := 1 + c.rng.Int64N(9)
	return object{"position": position}, func(f fields) fields { f.position = position; return f }
}

// updateCategory changes something of a category. If that is not acknowledged, it retries, or gives up half of the
// time, as clients do. 422 is right only if a requested link may lead to a category whose deletion has begun.
func (c *client) updateCategory(ctx context.Context) {
	m, ok := choose(c.rng, c.changeable())
	if !ok {
		return
	}
	targets := &c.tenant.targets
	body, apply := c.change(m)
	for range attempts {
		a := c.callPortal(ctx, categoryUpdate, object{"category": body}, m.id)
		switch {
		case a.ok():
			m.states.acknowledged(apply)
			shown := payload[categoryView](a)
			if !m.states.observe(func(f fields) bool { return f.match(shown, targets) }) {
				c.violations.add("category %d was changed by %v to %+v, but it is %s", m.id, body, m.states, a)
			}
			return
		case a.status == http.StatusUnprocessableEntity:
			if !apply(fields{}).mayDangle(targets) {
				c.violations.add("a good change %v of category %d is refused: %s", body, m.id, a)
			}
			return
		case a.unknown():
			m.states.unknown(apply)
		}
		if c.chance(0.5) {
			return
		}
	}
}

// reorderCategories gives positions to all changeable categories of the client.
func (c *client) reorderCategories(ctx context.Context) {
	categories := c.changeable()
	if len(categories) == 0 {
		return
	}
	hash := object{}
	writes := make([]func(fields) fields, len(categories))
	for i, m := range categories {
		position := 1 + c.rng.Int64N(9)
		hash[fmt.Sprint(m.id)] = position
		writes[i] = func(f fields) fields { f.position = position; return f }
	}
	for range attempts {
		a := c.callPortal(ctx, categoryOrder, object{"positions_hash": hash})
		switch {
		case a.ok():
			for i, m := range categories {
				m.states.acknowledged(writes[i])
			}
			checkCategories(categories, payload[[]categoryView](a), &c.tenant.targets, c.violations)
			return
		case a.unknown():
			for i, m := range categories {
				m.states.unknown(writes[i])
			}
		}
		if c.chance(0.5) {
			return
		}
	}
}

// showCategory reads one category of the client.
func (c *client) showCategory(ctx context.Context) {
	m, ok := choose(c.rng, c.changeable())
	if !ok {
		return
	}
	if a := c.callPortal(ctx, categoryShow, nil, m.id); a.ok() {
		shown := []categoryView{payload[categoryView](a)}
		checkCategories([]*categoryModel{m}, shown, &c.tenant.targets, c.violations)
	}
}

// deleteCategory deletes a category. It retires the category first: from then on, other clients may see its links end
// at any moment. 404 is right only after an attempt with an unknown outcome.
func (c *client) deleteCategory(ctx context.Context) {
	m, ok := choose(c.rng, c.changeable())
	if !ok {
		return
	}
	c.tenant.targets.retire(m.id)
	unknown := false
	for i := 0; i < attempts && !m.deleted; i++ {
		a := c.callPortal(ctx, categoryDelete, nil, m.id)
		if a.status == http.StatusNotFound && !unknown {
			c.violations.add("category %d, which no client has deleted, is gone: %s", m.id, a)
		}
		m.deleted = a.ok() || a.status == http.StatusNotFound
		unknown = unknown || a.unknown()
	}
}

// listCategories reads the portal's list, and checks what the client has written.
func (c *client) listCategories(ctx context.Context) {
	query := ""
	if c.chance(0.3) {
		query = fmt.Sprintf("?limit=%d", 10+c.rng.IntN(40))
	}
	if list, ok := c.list(ctx, query); ok {
		checkCategories(c.categories, list, &c.tenant.targets, c.violations)
	}
}

// list reads all pages of the portal's list. It returns false if a page was not answered.
func (c *client) list(ctx context.Context, query string) (all []categoryView, ok bool) {
	for page := query; ; {
		a := c.do(ctx, request{
			endpoint: categoryList, values: []any{c.tenant.Portal}, query: page, token: c.tenant.AgentToken,
		})
		if !a.ok() {
			return nil, false
		}
		l := read[struct {
			Payload []categoryView
			Meta    struct {
				Count int    `json:"categories_count"`
				Next  string `json:"next_cursor"`
			}
		}](a)
		all = append(all, l.Payload...)
		if query == "" && l.Meta.Count != len(l.Payload) {
			c.violations.add("a list of %d categories says that it has %d", len(l.Payload), l.Meta.Count)
		}
		if l.Meta.Next == "" {
			return all, true
		}
		page = query + "&cursor=" + l.Meta.Next
	}
}
