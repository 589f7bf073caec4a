package changeset

import (
	"fmt"

	"frontdesk/internal/api"
	"frontdesk/internal/table"
)

// ErrStale is the error of a change set that met a state other than the one it was made for: read again, and make
// another one.
var ErrStale = api.Errorf(api.Conflict, "The category was changed by somebody else at the same time, please try again")

// SlugTaken is the code of a locale and a slug that another category of the portal has.
const SlugTaken api.Code = "slug_taken"

// The rules that the table decides. A client may compare the whole message of a slug that is taken.
var (
	errSlugTaken   = invalid("Locale should be unique in the category and portal", "locale", "slug").WithCode(SlugTaken)
	errOwnAncestor = invalid("Parent category can't be one of the category's own sub-categories", "parent_category_id")
	errTooDeep     = invalid(
		fmt.Sprintf("Parent category is nested too deeply (maximum is %d levels)", MaxAncestors), "parent_category_id")
	// A change has up to 92 operations without the categories that a move holds, of which there are few in most trees.
	errTooMuch = invalid("Parent category is nested too deeply to change so many links as well: change them separately",
		"parent_category_id", "related_category_ids")
)

func invalid(message string, attributes ...string) *api.Error {
	return &api.Error{Kind: api.Invalid, Message: message, Attributes: attributes}
}

// errMissing is the error of a link whose target went away between the check of the rules and the write.
func errMissing(l Link) error {
	switch l.Kind {
	case table.Sub:
		return invalid("Parent category must exist", "parent_category_id")
	case table.Assoc:
		return invalid("Associated category must exist", "associated_category_id")
	}
	return invalid("Related categories must exist", "related_category_ids")
}
