package category

import (
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
)

// view is a category as it is answered.
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

// summary is a category that another one links to.
type summary struct {
	ID       id.ID  `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Locale   string `json:"locale"`
	Position *int64 `json:"position"`
}

// newView is a category as it is answered. Linked are the categories that it links to; one that is missing was deleted
// while the answer was made.
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

func summarize(linked records, category id.ID) *summary {
	r, ok := linked[category]
	if !ok {
		return nil
	}
	return &summary{ID: r.ID, Name: r.Name, Slug: r.Slug, Locale: r.Locale, Position: r.Position}
}

// orEmpty makes nil a list: in JSON it is [], not null.
func orEmpty(ids []id.ID) []id.ID {
	if ids == nil {
		return []id.ID{}
	}
	return ids
}

// answer is the answer that shows a category, with warnings of what the request asked for in vain.
func answer(v view, warnings []string) api.Response {
	return api.Response{Body: struct {
		Payload  view     `json:"payload"`
		Warnings []string `json:"warnings,omitempty"`
	}{v, warnings}}
}
