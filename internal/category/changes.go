package category

import (
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
)

// Changes is what a request asks of a category: all of a new one, or some fields of one that exists.
type Changes struct {
	Name, Slug, Locale, Description Field[string]
	Position                        Field[int64]
	Parent, Root                    Field[id.ID]
	Related                         Field[[]id.ID] // without repeats
}

// Field is a field of a request: not given, null, or a value.
type Field[T any] struct {
	Given bool
	Null  bool // then Value is the zero value
	Value T
}

// pointer is nil for null.
func (f Field[T]) pointer() *T {
	if f.Null {
		return nil
	}
	return &f.Value
}

// decode reads the changes from a request's body. The error names what is malformed.
func decode(body []byte) (Changes, error) {
	o, err := api.ParseObject(body)
	if err != nil {
		return Changes{}, err
	}
	o, err = wrapped(o)
	if err != nil {
		return Changes{}, err
	}
	c := Changes{
		Name:        field(o, "name", o.String),
		Slug:        field(o, "slug", o.String),
		Locale:      field(o, "locale", o.String),
		Description: field(o, "description", o.String),
		Position:    field(o, "position", o.Int),
		Parent:      field(o, "parent_category_id", func(name string) id.ID { return id.ID(o.Int(name)) }),
		Root:        field(o, "associated_category_id", func(name string) id.ID { return id.ID(o.Int(name)) }),
		Related:     field(o, "related_category_ids", func(name string) []id.ID { return distinct(o.Ints(name)) }),
	}
	if err := o.Err(); err != nil {
		return Changes{}, err
	}
	return c, nil
}

// wrapped is the object under the key category.
func wrapped(o *api.Object) (*api.Object, error) {
	inner := o.Object("category")
	if err := o.Err(); err != nil {
		return nil, err
	}
	if inner == nil {
		return nil, api.Errorf(api.Malformed, "category is missing")
	}
	return inner, nil
}

func field[T any](o *api.Object, name string, read func(string) T) Field[T] {
	return Field[T]{Given: o.Has(name), Null: o.Null(name), Value: read(name)}
}

func distinct(numbers []int64) []id.ID {
	var ids []id.ID
	seen := make(map[int64]bool, len(numbers))
	for _, n := range numbers {
		if !seen[n] {
			seen[n] = true
			ids = append(ids, id.ID(n))
		}
	}
	return ids
}

// forCreate makes the changes those of a new category: null is not given there, name and slug must be, and
// the locale is the portal's default unless it is given.
func (c Changes) forCreate() Changes {
	c.Name, c.Slug, c.Locale, c.Description = notNull(c.Name), notNull(c.Slug), notNull(c.Locale), notNull(c.Description)
	c.Position, c.Parent, c.Root, c.Related = notNull(c.Position), notNull(c.Parent), notNull(c.Root), notNull(c.Related)
	c.Name.Given, c.Slug.Given = true, true
	return c
}

func notNull[T any](f Field[T]) Field[T] {
	if f.Null {
		return Field[T]{}
	}
	return f
}

// linked are the categories that the changes link to, as far as the rules let them be so many.
func (c Changes) linked() []id.ID {
	var ids []id.ID
	if len(c.Related.Value) <= changeset.MaxRelated {
		ids = slices.Clone(c.Related.Value)
	}
	for _, f := range []Field[id.ID]{c.Parent, c.Root} {
		if f.Given && !f.Null {
			ids = append(ids, f.Value)
		}
	}
	return ids
}

// apply is the category as the changes make it; nothing else of it changes.
func (c Changes) apply(to changeset.Category) changeset.Category {
	if c.Name.Given {
		to.Name = c.Name.Value
	}
	if c.Slug.Given {
		to.Slug = c.Slug.Value
	}
	if c.Locale.Given {
		to.Locale = c.Locale.Value
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
