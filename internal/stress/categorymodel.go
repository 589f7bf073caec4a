package main

import (
	"slices"
	"sync"
)

// shelf is the categories of a portal that its clients may link to.
type shelf struct {
	mu        sync.Mutex
	open      []int64
	condemned map[int64]bool
}

func newShelf() *shelf { return &shelf{condemned: map[int64]bool{}} }

func (s *shelf) add(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, id)
}

// condemn begins the deletion of a category. From now on links to it may end at any moment.
func (s *shelf) condemn(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.condemned[id] = true
	s.open = slices.DeleteFunc(s.open, func(o int64) bool { return o == id })
}

// ended reports whether a link to a category may have ended by its deletion.
func (s *shelf) ended(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.condemned[id]
}

// shelved is a category that a client has created, as the client knows it. It alone changes it; others of its
// tenant may link to it.
type shelved struct {
	id     int64  // 0 if no answer has told
	slug   string // that it was created with
	states possible[fields]
	// created is false while no answer has said so: then there may be one with its slug, or not.
	created bool
	// deleted is true when an answer has said so. Whether its deletion has begun is the shelf's to know.
	deleted bool
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

// agrees reports whether a category is shown as its fields are: but for links that have ended.
func (f fields) agrees(shown shownCategory, s *shelf) bool {
	position := int64(0)
	if shown.Position != nil {
		position = *shown.Position
	}
	if f.name != shown.Name || f.slug != shown.Slug || f.locale != shown.Locale || f.position != position {
		return false
	}
	one := func(link *struct{ ID int64 }) (ids []int64) {
		if link != nil {
			ids = []int64{link.ID}
		}
		return ids
	}
	var related []int64
	for _, r := range shown.Related {
		related = append(related, r.ID)
	}
	return s.left([]int64{f.parent}, one(shown.Parent)) && s.left([]int64{f.root}, one(shown.Root)) &&
		s.left(f.related[:], related)
}

// left reports whether the links that are shown are what may be left of those that were written, in their order.
func (s *shelf) left(written, shown []int64) bool {
	for _, link := range written {
		switch {
		case len(shown) > 0 && shown[0] == link:
			shown = shown[1:]
		case link != 0 && !s.ended(link):
			return false
		}
	}
	return len(shown) == 0
}

// linksEnded reports whether a link that was asked for may lead nowhere any more.
func (f fields) linksEnded(s *shelf) bool {
	return slices.ContainsFunc(append([]int64{f.parent, f.root}, f.related[:]...), s.ended)
}

// shownCategory is a category as it is answered.
type shownCategory struct {
	ID                 int64
	Name, Slug, Locale string
	Position           *int64
	Parent             *struct{ ID int64 }  `json:"parent_category"`
	Root               *struct{ ID int64 }  `json:"root_category"`
	Related            []struct{ ID int64 } `json:"related_categories"`
}

// judgeCategories holds the list of a portal against what a client has written there.
func judgeCategories(written []*shelved, shown []shownCategory, s *shelf, broken *violations) {
	byID := map[int64]shownCategory{}
	bySlug := map[string]shownCategory{}
	for _, category := range shown {
		byID[category.ID], bySlug[category.Slug] = category, category
	}
	for _, w := range written {
		category, there := byID[w.id]
		if w.id == 0 {
			category, there = bySlug[w.slug]
		}
		switch {
		case there && w.deleted:
			broken.add("category %d was deleted, but is there: %+v", w.id, category)
		case there && !w.states.allow(func(f fields) bool { return f.agrees(category, s) }):
			broken.add("category %d is %+v; it can only be one of %+v", category.ID, category, w.states)
		case !there && w.created && !w.deleted && !s.ended(w.id):
			broken.add("category %d, %s, was created, but is not there", w.id, w.slug)
		}
	}
}
