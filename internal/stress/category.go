package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
)

// maxCategories is how many a client keeps.
const maxCategories = 6

var locales = []string{"en", "es", "fr"}

// target draws a category to link to, sometimes none.
func (c *client) target(but int64) int64 {
	c.tenant.shelf.mu.Lock()
	defer c.tenant.shelf.mu.Unlock()
	id, _ := choose(c.rng, c.tenant.shelf.open)
	if id == but || c.chance(0.2) {
		return 0
	}
	return id
}

// parent draws a category that is older than the one it is for, so that no order of moves makes a circle.
func (c *client) parent(of int64) int64 {
	if id := c.target(of); of == 0 || id < of {
		return id
	}
	return 0
}

func (f fields) relatedIDs() []int64 {
	return slices.DeleteFunc(slices.Clone(f.related[:]), func(id int64) bool { return id == 0 })
}

// orNull is null for no link.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

const slugTaken = "Locale should be unique in the category and portal"

func (c *client) createCategory(ctx context.Context) {
	if len(c.kept()) >= maxCategories {
		return
	}
	slug := c.name("category")
	f := fields{name: slug, slug: slug, locale: locales[c.rng.IntN(len(locales))], position: 1 + c.rng.Int64N(9)}
	f.parent, f.root, f.related = c.parent(0), c.target(0), c.relations(0)
	s := &shelved{slug: slug, states: possible[fields]{f}}
	unknown := false
	for range tries {
		a := c.do(ctx, request{
			endpoint: categoryCreate, method: http.MethodPost, path: c.tenant.portal, token: c.tenant.agentToken,
			may: []int{http.StatusConflict, http.StatusUnprocessableEntity},
			body: write(map[string]any{"category": map[string]any{
				"name": f.name, "slug": f.slug, "locale": f.locale, "position": f.position, "parent_category_id": orNull(f.parent),
				"associated_category_id": orNull(f.root), "related_category_ids": f.relatedIDs(),
			}}),
		})
		switch {
		case a.ok():
			shown := payload[shownCategory](a)
			if s.id, s.created = shown.ID, true; !f.agrees(shown, c.tenant.shelf) {
				c.broken.add("created the category %+v, but it is %s", f, a)
			}
			c.tenant.shelf.add(s.id)
			c.categories = append(c.categories, s)
			return
		case a.status == http.StatusUnprocessableEntity && a.fault() == slugTaken && unknown:
			s.created = true // by a request before that was not acknowledged
			c.categories = append(c.categories, s)
			return
		case a.status == http.StatusUnprocessableEntity && (a.fault() == slugTaken || !f.linksEnded(c.tenant.shelf)):
			c.broken.add("a good category is refused: %+v: %s", f, a)
		}
		unknown = unknown || a.unknown()
	}
	if unknown {
		c.categories = append(c.categories, s)
	}
}

func payload[T any](a answer) T { return read[struct{ Payload T }](a).Payload }

// relations draws the categories that one is related to.
func (c *client) relations(but int64) (related [maxRelated]int64) {
	related = [maxRelated]int64{c.target(but), c.target(but)}
	if related[0] == related[1] {
		related[1] = 0
	}
	return related
}

// kept are the client's categories that it can change: it knows their ids and has not begun to delete them.
func (c *client) kept() []*shelved {
	return slices.DeleteFunc(slices.Clone(c.categories), func(s *shelved) bool {
		return s.id == 0 || c.tenant.shelf.ended(s.id)
	})
}

// change draws what to change of a category: as JSON, and as it is to be afterwards.
func (c *client) change(s *shelved) (body map[string]any, apply func(fields) fields) {
	switch c.rng.IntN(5) {
	case 0:
		name := c.name("name")
		return map[string]any{"name": name}, func(f fields) fields { f.name = name; return f }
	case 1:
		slug := c.name("slug")
		return map[string]any{"slug": slug}, func(f fields) fields { f.slug = slug; return f }
	case 2:
		parent := c.parent(s.id)
		return map[string]any{"parent_category_id": orNull(parent)}, func(f fields) fields { f.parent = parent; return f }
	case 3:
		root, related := c.target(s.id), c.relations(s.id)
		body := map[string]any{"associated_category_id": orNull(root), "related_category_ids": fields{related: related}.relatedIDs()}
		return body, func(f fields) fields { f.root, f.related = root, related; return f }
	}
	position := 1 + c.rng.Int64N(9)
	return map[string]any{"position": position}, func(f fields) fields { f.position = position; return f }
}

func (c *client) updateCategory(ctx context.Context) {
	s, ok := choose(c.rng, c.kept())
	if !ok {
		return
	}
	body, apply := c.change(s)
	for range tries {
		a := c.do(ctx, request{
			endpoint: categoryUpdate, method: http.MethodPut, path: c.path(s), token: c.tenant.agentToken,
			may:  []int{http.StatusConflict, http.StatusUnprocessableEntity},
			body: write(map[string]any{"category": body}),
		})
		switch {
		case a.ok():
			s.states.surely(apply)
			if shown := payload[shownCategory](a); !s.states.only(func(f fields) bool { return f.agrees(shown, c.tenant.shelf) }) {
				c.broken.add("category %d was changed by %v to %+v, but it is %s", s.id, body, s.states, a)
			}
			return
		case a.status == http.StatusUnprocessableEntity:
			if !apply(fields{}).linksEnded(c.tenant.shelf) {
				c.broken.add("a good change %v of category %d is refused: %s", body, s.id, a)
			}
			return
		case a.unknown():
			s.states.maybe(apply)
		}
		if c.chance(0.5) {
			return
		}
	}
}

func (c *client) path(s *shelved) string { return fmt.Sprintf("%s/%d", c.tenant.portal, s.id) }

func (c *client) deleteCategory(ctx context.Context) {
	s, ok := choose(c.rng, c.kept())
	if !ok {
		return
	}
	c.tenant.shelf.condemn(s.id)
	unknown := false
	for range tries {
		a := c.do(ctx, request{
			endpoint: categoryDelete, method: http.MethodDelete, path: c.path(s), token: c.tenant.agentToken,
			may: []int{http.StatusConflict, http.StatusNotFound},
		})
		if a.status == http.StatusNotFound && !unknown {
			c.broken.add("category %d, which nobody has deleted, is gone: %s", s.id, a)
		}
		if a.ok() || a.status == http.StatusNotFound {
			s.deleted = true
			return
		}
		unknown = unknown || a.unknown()
	}
}

// listing is a list of categories as it is answered.
type listing struct {
	Payload []shownCategory
	Meta    struct {
		Count int    `json:"categories_count"`
		Next  string `json:"next_cursor"`
	}
}

// listCategories reads the portal, and looks for what the client has written.
func (c *client) listCategories(ctx context.Context) {
	query := ""
	if c.chance(0.3) {
		query = fmt.Sprintf("?limit=%d", 10+c.rng.IntN(40))
	}
	if shown, ok := c.list(ctx, query); ok {
		judgeCategories(c.categories, shown, c.tenant.shelf, c.broken)
	}
}

// list reads all pages of the portal's list. It is false if one of them was not answered.
func (c *client) list(ctx context.Context, query string) (all []shownCategory, ok bool) {
	for page := query; ; {
		a := c.do(ctx, request{endpoint: categoryList, method: http.MethodGet, path: c.tenant.portal + page, token: c.tenant.agentToken})
		if !a.ok() {
			return nil, false
		}
		l := read[listing](a)
		all = append(all, l.Payload...)
		if query == "" && l.Meta.Count != len(l.Payload) {
			c.broken.add("a list of %d categories says that it has %d", len(l.Payload), l.Meta.Count)
		}
		if l.Meta.Next == "" {
			return all, true
		}
		page = query + "&cursor=" + l.Meta.Next
	}
}
