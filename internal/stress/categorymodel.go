package main

import (
	"slices"
	"sync"
	"time"
)

// linkTargets are the categories of a portal that its clients may link to. The zero value has none.
type linkTargets struct {
	mu      sync.Mutex
	open    []int64
	retired map[int64]bool // whose deletion has begun
}

func (t *linkTargets) add(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, id)
}

// retire is called before a category is deleted. From now on links to it may end at any moment.
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

// match reports whether the links that are shown are what may be left of those that were written, in their order.
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

// categoryModel is a category that a client has created, as the client knows it. The client alone changes the
// category; others of its tenant may link to it.
type categoryModel struct {
	id      int64  // 0 while no answer has told it
	slug    string // that it was created with
	states  states[fields]
	created bool // an answer has said so; until then there may be a category of the slug or not
	deleted bool // an answer has said so; that the deletion has begun is for linkTargets to know
	// until then a request to create the category may arrive that got no answer: it would be another one, if the slug
	// were free again.
	settles time.Time
}

// is reports whether a category is the one of the model.
func (m *categoryModel) is(shown categoryView) bool {
	return m.id == shown.ID || m.id == 0 && m.slug == shown.Slug
}

// fields are those of a category that its client writes.
type fields struct {
	name, slug, locale string
	position           int64
	parent, root       int64 // 0 for none
	related            [maxRelated]int64
}

// maxRelated is how many related categories one has.
const maxRelated = 2

// match reports whether a category is shown as its fields are, except for links that may have ended.
func (f fields) match(shown categoryView, t *linkTargets) bool {
	if f.name != shown.Name || f.slug != shown.Slug || f.locale != shown.Locale || f.position != shown.Position {
		return false
	}
	return t.match([]int64{f.parent}, ids(shown.Parent)) && t.match([]int64{f.root}, ids(shown.Root)) &&
		t.match(f.related[:], ids(shown.Related...))
}

// mayDangle reports whether a link that was asked for may lead nowhere any more.
func (f fields) mayDangle(t *linkTargets) bool {
	return slices.ContainsFunc(append([]int64{f.parent, f.root}, f.related[:]...), t.isRetired)
}

// categoryView is a category as it is answered.
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

// ids are those of links that are there.
func ids(links ...*link) (list []int64) {
	for _, l := range links {
		if l != nil {
			list = append(list, l.ID)
		}
	}
	return list
}

// links are the categories that one is shown with.
func (v categoryView) links() []int64 {
	return slices.Concat(ids(v.Parent, v.Root), ids(v.Related...), v.Subs, v.Associated)
}

// checkCategories holds the list of a portal against the models of categories in it.
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
