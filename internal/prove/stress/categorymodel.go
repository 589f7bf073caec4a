package main

import (
	"slices"
	"sync"
	"time"
)

// linkTargets has the categories of a portal to which clients link each other's categories, and those whose deletion
// has begun. All clients of the portal share it. The zero value has none.
type linkTargets struct {
	mu      sync.Mutex
	open    []int64
	retired map[int64]bool // their deletion has begun
}

// add lets clients link to a category, once its creation was acknowledged.
func (t *linkTargets) add(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, id)
}

// retire is called before a category is deleted. From then on, links to it may end at any moment.
func (t *linkTargets) retire(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.retired == nil {
		t.retired = map[int64]bool{}
	}
	t.retired[id] = true
	t.open = slices.DeleteFunc(t.open, func(o int64) bool { return o == id })
}

// isRetired reports whether a link to a category may have ended by its deletion.
func (t *linkTargets) isRetired(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.retired[id]
}

// match reports whether the links that are shown can be what is left of the links that were written, in the same order.
func (t *linkTargets) match(written, shown []int64) bool {
	for _, link := range written {
		switch {
		case len(shown) > 0 && shown[0] == link:
			shown = shown[1:]
		case link != 0 && !t.isRetired(link):
			return false
		}
	}
	return len(shown) == 0
}

// categoryModel is a category that a client has created, as the client knows it. Only this client changes the
// category; other clients of the tenant may link to it.
type categoryModel struct {
	id      int64  // 0 until an answer has told it
	slug    string // at its creation
	states  states[fields]
	created bool // an answer has said so; until then nobody knows whether the category exists
	deleted bool // an answer has said so; linkTargets knows that the deletion has begun
	// Until then a request to create the category may arrive that got no answer. If the slug were free again, it
	// would create another category.
	settles time.Time
}

// is reports whether a category in an answer is the model's.
func (m *categoryModel) is(shown categoryView) bool {
	return m.id == shown.ID || m.id == 0 && m.slug == shown.Slug
}

// fields are the fields of a category that its client writes.
type fields struct {
	name, slug, locale string
	position           int64
	parent, root       int64 // 0 for none
	related            [maxRelated]int64
}

// maxRelated is how many related categories a category has at most.
const maxRelated = 2

// match reports whether a category is shown with these fields. Links may be missing if they may have ended.
func (f fields) match(shown categoryView, t *linkTargets) bool {
	if f.name != shown.Name || f.slug != shown.Slug || f.locale != shown.Locale || f.position != shown.Position {
		return false
	}
	return t.match([]int64{f.parent}, ids(shown.Parent)) && t.match([]int64{f.root}, ids(shown.Root)) &&
		t.match(f.related[:], ids(shown.Related...))
}

// mayDangle reports whether the target of a requested link may be gone.
func (f fields) mayDangle(t *linkTargets) bool {
	return slices.ContainsFunc(append([]int64{f.parent, f.root}, f.related[:]...), t.isRetired)
}

// categoryView is a category as the API answers it.
type categoryView struct {
	ID                 int64
	Name, Slug, Locale string
	Position           int64   // 0 for null
	Parent             *link   `json:"parent_category"`
	Root               *link   `json:"root_category"`
	Related            []*link `json:"related_categories"`
	Subs               []int64 `json:"sub_category_ids"`
	Associated         []int64 `json:"associated_category_ids"`
}

type link struct{ ID int64 }

// ids returns the ids of the links that are not null.
func ids(links ...*link) (list []int64) {
	for _, l := range links {
		if l != nil {
			list = append(list, l.ID)
		}
	}
	return list
}

// links returns the ids of all categories that an answer links to.
func (v categoryView) links() []int64 {
	return slices.Concat(ids(v.Parent, v.Root), ids(v.Related...), v.Subs, v.Associated)
}

// checkCategories compares the list of a portal with the models of its categories.
func checkCategories(models []*categoryModel, list []categoryView, t *linkTargets, v *violations) {
	for _, m := range models {
		i := slices.IndexFunc(list, m.is)
		switch {
		case i < 0 && m.created && !m.deleted && !t.isRetired(m.id):
			v.add("category %d, %s, was created, but is not there", m.id, m.slug)
		case i >= 0 && m.deleted:
			v.add("category %d was deleted, but is there: %+v", m.id, list[i])
		case i >= 0 && !slices.ContainsFunc(m.states, func(f fields) bool { return f.match(list[i], t) }):
			v.add("category %d is %+v; it can only be one of %+v", list[i].ID, list[i], m.states)
		}
	}
}
