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

// CheckSlug checks the slug of a portal or of a category: it stands in a URL as it is, and in a key.
func CheckSlug(f *api.Faults, slug string) {
	if len(slug) > MaxSlug {
		f.Add("slug", "Slug is too long (maximum is %d bytes)", MaxSlug)
	}
	if strings.ContainsFunc(slug, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("/?#", c)
	}) {
		f.Add("slug", "Slug must not contain spaces, control characters, /, ? or #")
	}
}
