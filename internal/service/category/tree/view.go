package tree

import (
	"time"

	"frontdesk/internal/base/id"
)

// View is the JSON form of a category.
type View struct {
	ID                    id.ID     `json:"id"`
	Name                  string    `json:"name"`
	Slug                  string    `json:"slug"`
	Locale                string    `json:"locale"`
	Description           *string   `json:"description"`
	Position              *int64    `json:"position"`
	AccountID             id.ID     `json:"account_id"`
	ParentCategory        *Summary  `json:"parent_category"`
	RootCategory          *Summary  `json:"root_category"`
	RelatedCategories     []Summary `json:"related_categories"`
	SubCategoryIDs        []id.ID   `json:"sub_category_ids"`
	AssociatedCategoryIDs []id.ID   `json:"associated_category_ids"`
	CreatedAt             time.Time `json:"created_at"`
	UpdatedAt             time.Time `json:"updated_at"`
}

// Summary is the JSON form of a category that another one links to.
type Summary struct {
	ID       id.ID  `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Locale   string `json:"locale"`
	Position *int64 `json:"position"`
}

// Portal is what views show of the portal.
type Portal struct {
	Account id.ID
	Spell   func(locale string) string // returns the portal's spelling of a locale in normal form
}

// View returns the JSON form of a category. It shows no link to a category that the tree does not hold.
func (t *Tree) View(p Portal, c Category) View {
	v := View{
		ID: c.ID, Name: c.Name, Slug: c.Slug, Locale: p.Spell(c.Locale), Description: c.Description,
		Position: c.Position, AccountID: p.Account, ParentCategory: t.summarize(p, c.Parent),
		RootCategory: t.summarize(p, c.Root), RelatedCategories: []Summary{},
		SubCategoryIDs: orEmpty(t.subs[c.ID]), AssociatedCategoryIDs: orEmpty(t.associated[c.ID]),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	for _, related := range c.Related {
		if s := t.summarize(p, related); s != nil {
			v.RelatedCategories = append(v.RelatedCategories, *s)
		}
	}
	return v
}

// summarize returns nil for the id 0, which means no link, and for a category that is gone.
func (t *Tree) summarize(p Portal, category id.ID) *Summary {
	c := t.categories[category]
	if c == nil {
		return nil
	}
	return &Summary{ID: c.ID, Name: c.Name, Slug: c.Slug, Locale: p.Spell(c.Locale), Position: c.Position}
}

// orEmpty replaces nil, which JSON would encode as null, by an empty list.
func orEmpty(ids []id.ID) []id.ID {
	if ids == nil {
		return []id.ID{}
	}
	return ids
}

// The fewest bytes of JSON that readers get for a category without its texts, and for a category that it links to. A
// test encodes both and fails when one is smaller than its constant: then lists that fit would be refused.
const (
	minView    = 230
	minSummary = 56
	minID      = 2 // a digit and a comma
)

// MinSize returns the fewest bytes that a category takes in an answer.
func (t *Tree) MinSize(c Category) int {
	size := c.minSize()
	for _, target := range c.Linked() {
		if t.Has(target) {
			size += minSummary
		}
	}
	return size + minID*(len(t.subs[c.ID])+len(t.associated[c.ID]))
}

// minSize is MinSize without links. JSON escapes can only make a text longer.
func (c *Category) minSize() int {
	size := minView + len(c.Name) + len(c.Slug) + len(c.Locale)
	if c.Description != nil {
		size += len(*c.Description)
	}
	return size
}
