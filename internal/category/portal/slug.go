package portal

import (
	"strings"
	"unicode"

	"frontdesk/internal/api"
)

// MaxSlug is the length of a slug in bytes.
const MaxSlug = 255

// ErrBlankSlug stands alone: a client may compare the whole message.
var ErrBlankSlug = &api.Error{Kind: api.Invalid, Message: "Slug can't be blank", Attributes: []string{"slug"}}

// invisible are the format characters, those of bidirectional text among them, and what is not shown by default
// (Unicode 15, section 5.21): variation selectors, fillers and joiners.
// https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// CheckSlug checks the slug of a portal or of a category: it stands in a URL as it is, and in a key. What is not seen
// makes two slugs out of what looks like one, and browsers take dots alone out of a path (RFC 3986 section 5.2.4).
func CheckSlug(f *api.Faults, slug string) {
	if len(slug) > MaxSlug {
		f.Add("slug", "Slug is too long (maximum is %d bytes)", MaxSlug)
	}
	if strings.ContainsFunc(slug, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("/?#", c)
	}) {
		f.Add("slug", "Slug must not contain spaces, control characters, /, ? or #")
	}
	if strings.ContainsFunc(slug, func(c rune) bool { return unicode.In(c, invisible...) }) {
		f.Add("slug", "Slug must not contain invisible or bidirectional control characters")
	}
	if slug != "" && strings.Trim(slug, ".") == "" {
		f.Add("slug", "Slug must not be of dots alone")
	}
}
