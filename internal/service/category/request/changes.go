// Package request is what requests ask of categories. It decodes their JSON (decode.go, positions.go), checks the rules
// (rules.go), and applies the changes to a category (changes.go).
package request

import (
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"

	"golang.org/x/text/unicode/norm"
)

// Changes is what a request asks of a category: the fields of a new one, or some fields of one that exists.
type Changes struct {
	Name, Slug, Locale, Description Field[string]
	Position                        Field[int64]
	Parent, Root                    Field[id.ID]
	Related                         Field[[]id.ID] // without repeats

	Warnings []string // one for each field of the request that does not exist

	at string // where the fields stand in the body: "category." or ""
}

// Field is a field of a request: absent, null, or a value.
type Field[T any] struct {
	Given bool
	Null  bool // Value is the zero value then
	Value T
}

// pointer returns nil for null, and the value otherwise.
func (f Field[T]) pointer() *T {
	if f.Null {
		return nil
	}
	return &f.Value
}

// ForCreate returns the changes for a new category. Null counts as absent. Name and slug count as given, so that the
// rules refuse a category without them.
func (c Changes) ForCreate() Changes {
	c.Name, c.Slug, c.Description = notNull(c.Name), notNull(c.Slug), notNull(c.Description)
	c.Locale, c.Position = notNull(c.Locale), notNull(c.Position)
	c.Parent, c.Root, c.Related = notNull(c.Parent), notNull(c.Root), notNull(c.Related)
	c.Name.Given, c.Slug.Given = true, true
	return c
}

// CheckForUpdate refuses null for the related categories, which could mean "empty the list" as well as "keep it". For
// the other fields of an update, null clears the value or breaks a rule.
func (c Changes) CheckForUpdate() error {
	if c.Related.Null {
		return api.Errorf(api.Malformed, "%srelated_category_ids must be an array of integers; [] empties it", c.at)
	}
	return nil
}

// KeepSlug drops the slug from the changes when the category already has it. The slug may be older than a rule, and
// clients often send all fields of a category back.
func (c Changes) KeepSlug(has string) Changes {
	if c.Slug.Value == norm.NFC.String(has) {
		c.Slug = Field[string]{}
	}
	return c
}

func notNull[T any](f Field[T]) Field[T] {
	if f.Null {
		return Field[T]{}
	}
	return f
}

// Linked returns the categories that the changes link to. It leaves out the related ones when they are more than the
// rules allow: the request will be refused, so they need not be read.
func (c Changes) Linked() []id.ID {
	var ids []id.ID
	if len(c.Related.Value) <= tree.MaxRelated {
		ids = slices.Clone(c.Related.Value)
	}
	for _, f := range []Field[id.ID]{c.Parent, c.Root} {
		if f.Given && !f.Null {
			ids = append(ids, f.Value)
		}
	}
	return ids
}

// OnlyLinks returns a category with nothing but the links that the request names.
func (c Changes) OnlyLinks() tree.Category {
	return tree.Category{Parent: c.Parent.Value, Root: c.Root.Value, Related: c.Related.Value}
}

// Apply returns a category with the changes made. Absent fields stay as they are.
func (c Changes) Apply(to tree.Category) tree.Category {
	if c.Name.Given {
		to.Name = c.Name.Value
	}
	if c.Slug.Given {
		to.Slug = c.Slug.Value
	}
	if c.Locale.Given {
		to.Locale = portal.NormalLocale(c.Locale.Value)
	}
	if c.Description.Given {
		to.Description = c.Description.pointer()
	}
	if c.Position.Given {
		to.Position = c.Position.pointer()
	}
	if c.Parent.Given {
		to.Parent = c.Parent.Value
	}
	if c.Root.Given {
		to.Root = c.Root.Value
	}
	if c.Related.Given {
		to.Related = c.Related.Value
	}
	return to
}
