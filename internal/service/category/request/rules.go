package request

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// Limits of a category's texts, in characters (code points).
const (
	MaxName        = 255
	MaxDescription = 10_000
)

// Check checks the changes of the category self, 0 for a new one, against all rules but two: a locale and slug are
// unique, and no category is its own ancestor. Only the table can decide these, so the change set checks them. exists
// tells whether a category exists in the portal.
func (c Changes) Check(self id.ID, p portal.Portal, exists func(id.ID) bool) error {
	// Chatwoot answers a blank slug alone, so clients may compare the whole message.
	if c.Slug.Given && invisible.Blank(c.Slug.Value) {
		return portal.ErrBlankSlug
	}
	var f api.Faults
	if c.Name.Given {
		c.checkName(&f)
	}
	if c.Slug.Given {
		portal.CheckSlug(&f, c.Slug.Value)
	}
	if c.Locale.Given {
		c.checkLocale(&f, p)
	}
	if utf8.RuneCountInString(c.Description.Value) > MaxDescription {
		f.Add("description", "Description is too long (maximum is %d characters)", MaxDescription)
	}
	checkLink(&f, "parent_category_id", "Parent category", c.Parent, self, exists)
	checkLink(&f, "associated_category_id", "Associated category", c.Root, self, exists)
	c.checkRelated(&f, self, exists)
	return f.Err()
}

func (c Changes) checkName(f *api.Faults) {
	name := c.Name.Value
	if invisible.Blank(name) {
		f.Add("name", "Name can't be blank")
		return
	}
	if utf8.RuneCountInString(name) > MaxName {
		f.Add("name", "Name is too long (maximum is %d characters)", MaxName)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		f.Add("name", "Name must not contain control characters")
	}
	if invisible.CutEnds(name) != name {
		f.Add("name", "Name must not begin or end with invisible characters")
	}
}

// checkLocale allows only the present locales. A category of a former locale may stay there, but none may move there.
func (c Changes) checkLocale(f *api.Faults, p portal.Portal) {
	switch {
	case c.Locale.Null || invisible.Blank(c.Locale.Value):
		f.Add("locale", "Locale can't be blank")
	// Chatwoot's sentence, with its full stop.
	case !p.Offers(c.Locale.Value):
		f.Add("locale", "Locale %s of category is not part of portal's %s.", c.Locale.Value, p.LocaleList())
	}
}

// checkLink checks the target of one link. null ends the link, and needs no target.
func checkLink(f *api.Faults, attribute, name string, link Field[id.ID], self id.ID, exists func(id.ID) bool) {
	switch {
	case !link.Given || link.Null:
	case self != 0 && link.Value == self:
		f.Add(attribute, "%s can't be the category itself", name)
	case !exists(link.Value):
		f.Add(attribute, "%s must exist", name)
	}
}

// checkRelated counts first: Linked has left out too many related ones, so none of them was read.
func (c Changes) checkRelated(f *api.Faults, self id.ID, exists func(id.ID) bool) {
	const attribute = "related_category_ids"
	related := c.Related.Value
	// Repeats were removed before.
	if len(related) > tree.MaxRelated {
		f.Add(attribute, "Related categories are too many (maximum is %d)", tree.MaxRelated)
		return
	}
	if self != 0 && slices.Contains(related, self) {
		f.Add(attribute, "Related categories can't include the category itself")
	}
	if slices.ContainsFunc(related, func(r id.ID) bool { return r != self && !exists(r) }) {
		f.Add(attribute, "Related categories must exist")
	}
}
