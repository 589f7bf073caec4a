package main

import "testing"

// TestCategoryOracle: each case is what a client has written of category 7, what the list shows, and the expected
// violation. Category 1 exists; the deletion of category 2 has begun.
func TestCategoryOracle(t *testing.T) {
	f := fields{name: "n", slug: "s", locale: "en", position: 3, parent: 1, root: 2, related: [maxRelated]int64{2, 1}}
	renamed := f
	renamed.name = "m"
	shown := func(change func(*categoryView)) []categoryView {
		c := categoryView{
			ID: 7, Name: "n", Slug: "s", Locale: "en", Position: 3,
			Parent: &link{1}, Root: &link{2}, Related: []*link{{2}, {1}},
		}
		change(&c)
		return []categoryView{c}
	}
	same := shown(func(*categoryView) {})
	named := shown(func(c *categoryView) { c.Name = "m" })
	moved := shown(func(c *categoryView) { c.Position = 0 })
	parent := func(of *link) []categoryView { return shown(func(c *categoryView) { c.Parent = of }) }
	related := func(to ...*link) []categoryView { return shown(func(c *categoryView) { c.Related = to }) }
	known := func(states ...fields) categoryModel {
		return categoryModel{id: 7, slug: "s", states: states, created: true}
	}
	deleted := known(f)
	deleted.deleted = true
	unknown := categoryModel{slug: "s", states: states[fields]{f}}
	created := unknown
	created.created = true
	for name, c := range map[string]struct {
		written categoryModel
		shown   []categoryView
		want    string
	}{
		"as it was written":                       {known(f), same, ""},
		"missing":                                 {known(f), nil, "was created, but is not there"},
		"of another name":                         {known(f), named, "can only be"},
		"of a name that may have been written":    {known(f, renamed), named, ""},
		"of another position":                     {known(f), moved, "can only be"},
		"without its parent":                      {known(f), parent(nil), "can only be"},
		"with another parent":                     {known(f), parent(&link{9}), "can only be"},
		"without the root that is being deleted":  {known(f), shown(func(c *categoryView) { c.Root = nil }), ""},
		"without the relation that is":            {known(f), related(&link{1}), ""},
		"without the relation that is not":        {known(f), related(&link{2}), "can only be"},
		"with its relations in another order":     {known(f), related(&link{1}, &link{2}), "can only be"},
		"with a relation more":                    {known(f), related(&link{2}, &link{1}, &link{9}), "can only be"},
		"deleted":                                 {deleted, nil, ""},
		"deleted, and there":                      {deleted, same, "was deleted, but is there"},
		"perhaps created, and there":              {unknown, same, ""},
		"perhaps created, and not there":          {unknown, nil, ""},
		"perhaps created, and there as another":   {unknown, named, "can only be"},
		"created by an unknown id, and there":     {created, same, ""},
		"created by an unknown id, and not there": {created, nil, "was created, but is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			targets := new(linkTargets)
			targets.add(1)
			targets.add(2)
			targets.retire(2)
			var found violations
			checkCategories([]*categoryModel{&c.written}, c.shown, targets, &found)
			found.want(t, c.want)
		})
	}
}

// TestACategoryThatIsBeingDeletedMayBeThereOrNot: the oracle accepts both, and no violation follows.
func TestACategoryThatIsBeingDeletedMayBeThereOrNot(t *testing.T) {
	targets := new(linkTargets)
	targets.retire(7)
	f := fields{name: "n", slug: "s", locale: "en"}
	written := []*categoryModel{{id: 7, slug: "s", states: states[fields]{f}, created: true}}
	var found violations
	checkCategories(written, nil, targets, &found)
	checkCategories(written, []categoryView{{ID: 7, Name: "n", Slug: "s", Locale: "en"}}, targets, &found)
	found.want(t, "")
}
