package category

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// The faults that stand alone: a client may compare the whole message.
var (
	errBlankSlug = invalid("Slug can't be blank", "slug")
	errSlugTaken = invalid("Locale should be unique in the category and portal", "locale", "slug")
)

func invalid(message string, attributes ...string) *api.Error {
	return &api.Error{Code: api.Invalid, Message: message, Attributes: attributes}
}

// faults gathers what is against a rule, so that a client learns all of it at once.
type faults struct{ messages, attributes []string }

func (f *faults) add(attribute, format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
	if !slices.Contains(f.attributes, attribute) {
		f.attributes = append(f.attributes, attribute)
	}
}

func (f faults) err() error {
	if len(f.messages) == 0 {
		return nil
	}
	return invalid(strings.Join(f.messages, ", "), f.attributes...)
}

// check holds the changes of a category (0 for a new one) against every rule but two: that locale and slug
// are unique, which the table decides, and that no category is its own ancestor, which the tree does. There
// says whether a category exists in the portal.
func (c Changes) check(self id.ID, p Portal, there func(id.ID) bool) error {
	if c.Slug.Given && blank(c.Slug.Value) {
		return errBlankSlug
	}
	var f faults
	if c.Name.Given {
		c.checkName(&f)
	}
	if c.Slug.Given {
		checkSlug(&f, c.Slug.Value)
	}
	if c.Locale.Given {
		c.checkLocale(&f, p)
	}
	if utf8.RuneCountInString(c.Description.Value) > MaxDescription {
		f.add("description", "Description is too long (maximum is %d characters)", MaxDescription)
	}
	checkLink(&f, "parent_category_id", "Parent category", c.Parent, self, there)
	checkLink(&f, "associated_category_id", "Associated category", c.Root, self, there)
	c.checkRelated(&f, self, there)
	return f.err()
}

func (c Changes) checkName(f *faults) {
	switch {
	case blank(c.Name.Value):
		f.add("name", "Name can't be blank")
	case utf8.RuneCountInString(c.Name.Value) > MaxName:
		f.add("name", "Name is too long (maximum is %d characters)", MaxName)
	}
}

// checkSlug: a slug stands in a URL as it is, and in a key.
func checkSlug(f *faults, slug string) {
	if len(slug) > MaxSlug {
		f.add("slug", "Slug is too long (maximum is %d bytes)", MaxSlug)
	}
	if strings.ContainsFunc(slug, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("/?#", c)
	}) {
		f.add("slug", "Slug must not contain spaces, control characters, /, ? or #")
	}
}

func (c Changes) checkLocale(f *faults, p Portal) {
	switch {
	case c.Locale.Null || blank(c.Locale.Value):
		f.add("locale", "Locale can't be blank")
	case !slices.Contains(p.Locales, c.Locale.Value):
		f.add("locale", "Locale %s of category is not part of portal's %s.", c.Locale.Value, quoted(p.Locales))
	}
}

func checkLink(f *faults, attribute, name string, link Field[id.ID], self id.ID, there func(id.ID) bool) {
	switch {
	case !link.Given || link.Null:
	case self != 0 && link.Value == self:
		f.add(attribute, "%s can't be the category itself", name)
	case !there(link.Value):
		f.add(attribute, "%s must exist", name)
	}
}

func (c Changes) checkRelated(f *faults, self id.ID, there func(id.ID) bool) {
	const attribute = "related_category_ids"
	related := c.Related.Value
	if len(related) > MaxRelated {
		f.add(attribute, "Related categories are too many (maximum is %d)", MaxRelated)
		return
	}
	if self != 0 && slices.Contains(related, self) {
		f.add(attribute, "Related categories can't include the category itself")
	}
	if slices.ContainsFunc(related, func(r id.ID) bool { return r != self && !there(r) }) {
		f.add(attribute, "Related categories must exist")
	}
}

// missing is the error of a link whose target went away between the check and the write.
func missing(l link) error {
	var f faults
	switch l.kind {
	case table.Sub:
		f.add("parent_category_id", "Parent category must exist")
	case table.Assoc:
		f.add("associated_category_id", "Associated category must exist")
	default:
		f.add("related_category_ids", "Related categories must exist")
	}
	return f.err()
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// quoted writes a list as JSON does: ["en","es"].
func quoted(list []string) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = `"` + s + `"`
	}
	return "[" + strings.Join(words, ",") + "]"
}
