package portal

import (
	"strings"
	"unicode"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/invisible"
)

// MaxSlug is the longest slug, in bytes. It also stands in a sort key, and DynamoDB limits that to 1,024 bytes.
const MaxSlug = 255

// ErrBlankSlug is answered alone, without other faults: clients may compare the whole message.
var ErrBlankSlug = &api.Error{Kind: api.Invalid, Message: "Slug can't be blank", Attributes: []string{"slug"}}

// CheckSlug checks the slug of a portal or of a category. A slug stands in a URL as it is, and in a key. Invisible
// characters would make two slugs look like one. Browsers take \ for / and remove segments of dots from a path, also
// where %2e stands for a dot.
// https://url.spec.whatwg.org/#path-state
func CheckSlug(f *api.Faults, slug string) {
	if len(slug) > MaxSlug {
		f.Add("slug", "Slug is too long (maximum is %d bytes)", MaxSlug)
	}
	if strings.ContainsFunc(slug, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune(`/\?#`, c)
	}) {
		f.Add("slug", `Slug must not contain spaces, control characters, /, \, ? or #`)
	}
	if strings.ContainsFunc(slug, invisible.Is) {
		f.Add("slug", "Slug must not contain invisible or bidirectional control characters")
	}
	dots := strings.NewReplacer("%2e", ".", "%2E", ".").Replace(slug)
	if slug != "" && strings.Trim(dots, ".") == "" {
		f.Add("slug", "Slug must not consist of dots")
	}
}
