package tree

import (
	"slices"

	"frontdesk/internal/base/api"
)

// Query is what a list is asked for.
type Query struct {
	Locale string // in the normal form of a locale; "" means every locale
	Limit  int    // 0 means no limit
	After  *Place // the cursor; nil starts at the beginning
}

// asksFor reports whether a category may be on the page.
func (q Query) asksFor(c *Category) bool {
	return (q.Locale == "" || c.Locale == q.Locale) && (q.After == nil || c.Place().Compare(*q.After) > 0)
}

// Lister makes a page while the categories of a portal are read, in any order. It keeps the descriptions of the page
// alone, because nothing else shows a description.
type Lister struct {
	Tree
	Count int // categories of the query's locale

	query   Query
	page    []*Category // the first ones so far, sorted if the query has a limit; one more than the limit
	memory  int
	minJSON int
}

// NewLister returns a Lister for a query.
func NewLister(q Query) *Lister { return &Lister{query: q} }

// Add adds a category of the portal.
func (l *Lister) Add(c Category) {
	added := &c
	l.putWithLinks(added)
	l.memory += added.memory()
	if l.query.Locale == "" || c.Locale == l.query.Locale {
		l.Count++
	}
	switch {
	case !l.query.asksFor(added):
		l.dropDescription(added)
	case l.query.Limit == 0:
		l.page = append(l.page, added)
		l.minJSON += added.minSize()
	default:
		at, _ := slices.BinarySearchFunc(l.page, added, inOrder)
		l.page = slices.Insert(l.page, at, added)
		if len(l.page) > l.query.Limit+1 { // the one more tells whether another page follows
			l.dropDescription(l.page[l.query.Limit+1])
			l.page = l.page[:l.query.Limit+1]
		}
	}
}

// dropDescription drops a description.
func (l *Lister) dropDescription(c *Category) {
	if c.Description != nil {
		l.memory -= len(*c.Description)
		c.Description = nil
	}
}

// Memory is about how much memory the categories take, in bytes.
func (l *Lister) Memory() int { return l.memory }

// MinJSON is the fewest bytes of JSON that the answer to a query without a limit takes so far. It is 0 with a limit:
// categories that are added later may make that page smaller.
func (l *Lister) MinJSON() int { return l.minJSON }

// Page returns the categories of the page, and the cursor of the next one.
func (l *Lister) Page() ([]Category, api.Cursor) {
	page, cursor := l.page, api.Cursor("")
	if l.query.Limit > 0 {
		page, cursor = api.CutPage(page, l.query.Limit, func(c *Category) string { return c.Place().Text() })
	} else {
		slices.SortFunc(page, inOrder)
	}
	categories := make([]Category, len(page))
	for i, c := range page {
		categories[i] = *c
	}
	return categories, cursor
}

func inOrder(a, b *Category) int { return a.Place().Compare(b.Place()) }

// overhead is about what a category takes in memory beside its texts: the struct, its entries in the tree, and two
// more in the lists of what leads to others, in bytes.
const overhead = 512

func (c *Category) memory() int {
	size := overhead + len(c.Name) + len(c.Slug) + len(c.Locale) + 8*len(c.Related)
	if c.Description != nil {
		size += len(*c.Description)
	}
	return size
}
