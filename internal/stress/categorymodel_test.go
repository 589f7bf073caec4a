package main

import "testing"

// TestCategoryVerdict: what a client has written of category 7, what is listed, and what is to be said of that.
// Category 1 is there; the deletion of category 2 has begun.
func TestCategoryVerdict(t *testing.T) {
	f := fields{name: "n", slug: "s", locale: "en", position: 3, parent: 1, root: 2, related: [maxRelated]int64{2, 1}}
	renamed := f
	renamed.name = "m"
	type link = struct{ ID int64 }
	position := int64(3)
	shown := func(change func(*shownCategory)) []shownCategory {
		c := shownCategory{ID: 7, Name: "n", Slug: "s", Locale: "en", Position: &position, Parent: &link{1}, Root: &link{2}, Related: []link{{2}, {1}}}
		if change != nil {
			change(&c)
		}
		return []shownCategory{c}
	}
	known := func(states ...fields) shelved {
		return shelved{id: 7, slug: "s", states: states, created: true}
	}
	deleted := known(f)
	deleted.deleted = true
	unknown := shelved{slug: "s", states: possible[fields]{f}}
	created := unknown
	created.created = true
	for name, c := range map[string]struct {
		written shelved
		shown   []shownCategory
		want    string
	}{
		"as it was written":                       {known(f), shown(nil), ""},
		"missing":                                 {known(f), nil, "was created, but is not there"},
		"of another name":                         {known(f), shown(func(c *shownCategory) { c.Name = "m" }), "can only be"},
		"of a name that may have been written":    {known(f, renamed), shown(func(c *shownCategory) { c.Name = "m" }), ""},
		"of another position":                     {known(f), shown(func(c *shownCategory) { c.Position = nil }), "can only be"},
		"without its parent":                      {known(f), shown(func(c *shownCategory) { c.Parent = nil }), "can only be"},
		"with another parent":                     {known(f), shown(func(c *shownCategory) { c.Parent = &link{9} }), "can only be"},
		"without the root that is being deleted":  {known(f), shown(func(c *shownCategory) { c.Root = nil }), ""},
		"without the relation that is":            {known(f), shown(func(c *shownCategory) { c.Related = []link{{1}} }), ""},
		"without the relation that is not":        {known(f), shown(func(c *shownCategory) { c.Related = []link{{2}} }), "can only be"},
		"with its relations in another order":     {known(f), shown(func(c *shownCategory) { c.Related = []link{{1}, {2}} }), "can only be"},
		"with a relation more":                    {known(f), shown(func(c *shownCategory) { c.Related = []link{{2}, {1}, {9}} }), "can only be"},
		"deleted":                                 {deleted, nil, ""},
		"deleted, and there":                      {deleted, shown(nil), "was deleted, but is there"},
		"perhaps created, and there":              {unknown, shown(nil), ""},
		"perhaps created, and not there":          {unknown, nil, ""},
		"perhaps created, and there as another":   {unknown, shown(func(c *shownCategory) { c.Name = "m" }), "can only be"},
		"created by an unknown id, and there":     {created, shown(nil), ""},
		"created by an unknown id, and not there": {created, nil, "was created, but is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			s.add(1)
			s.add(2)
			s.condemn(2)
			var broken violations
			judgeCategories([]*shelved{&c.written}, c.shown, s, &broken)
			broken.want(t, c.want)
		})
	}
}

func TestACategoryThatIsBeingDeletedMayBeThereOrNot(t *testing.T) {
	s := newShelf()
	s.condemn(7)
	f := fields{name: "n", slug: "s", locale: "en"}
	written := []*shelved{{id: 7, slug: "s", states: possible[fields]{f}, created: true}}
	var broken violations
	judgeCategories(written, nil, s, &broken)
	judgeCategories(written, []shownCategory{{ID: 7, Name: "n", Slug: "s", Locale: "en"}}, s, &broken)
	broken.want(t, "")
}
