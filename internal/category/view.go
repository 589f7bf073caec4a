package category

import (
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
)

// view is the JSON form of a category.
type view struct {
	ID                    id.ID     `json:"id"`
	Name                  string    `json:"name"`
	Slug                  string    `json:"slug"`
	Locale                string    `json:"locale"`
	Description           *string   `json:"description"`
	Position              *int64    `json:"position"`
	AccountID             id.ID     `json:"account_id"`
	ParentCategory        *summary  `json:"parent_category"`
	RootCategory          *summary  `json:"root_category"`
	RelatedCategories     []summary `json:"related_categories"`
	SubCategoryIDs        []id.ID   `json:"sub_category_ids"`
	AssociatedCategoryIDs []id.ID   `json:"associated_category_ids"`
	CreatedAt             time.Time `json:"created_at"`
	UpdatedAt             time.Time `json:"updated_at"`
}

// summary is the JSON form of a category that another one links to.
type summary struct {
	ID       id.ID  `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Locale   string `json:"locale"`
	Position *int64 `json:"position"`
}

// newView makes the JSON form of a category. linked has the categories that it links to. One that is missing there was
// deleted while the answer was made, and the answer shows no link to it.
func newView(account id.ID, c changeset.Category, in incoming, linked records) view {
	v := view{
		ID: c.ID, Name: c.Name, Slug: c.Slug, Locale: c.Locale, Description: c.Description, Position: c.Position,
		AccountID: account, ParentCategory: summarize(linked, c.Parent), RootCategory: summarize(linked, c.Root),
		RelatedCategories: []summary{}, SubCategoryIDs: orEmpty(in.subs), AssociatedCategoryIDs: orEmpty(in.associated),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	for _, related := range c.Related {
		if s := summarize(linked, related); s != nil {
			v.RelatedCategories = append(v.RelatedCategories, *s)
		}
	}
	return v
}

// summarize returns nil for the id 0, which means no link, and for a category that is missing.
func summarize(linked records, category id.ID) *summary {
	r, ok := linked[category]
	if !ok {
		return nil
	}
	return &summary{ID: r.ID, Name: r.Name, Slug: r.Slug, Locale: r.Locale, Position: r.Position}
}

// orEmpty replaces nil, which JSON would encode as null, by an empty list.
func orEmpty(ids []id.ID) []id.ID {
	if ids == nil {
		return []id.ID{}
	}
	return ids
}

// answer shows a category. The warnings name fields of the request that had no effect.
func answer(v view, warnings []string) api.Response {
	return api.Response{Body: struct {
		Payload  view     `json:"payload"`
		Warnings []string `json:"warnings,omitempty"`
	}{v, warnings}}
}
