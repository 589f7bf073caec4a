package changeset

import (
	"fmt"

	"frontdesk/internal/base/api"
)

// ErrStale means that the table was no longer in the state that the change set was made for. Read again, and make
// another change set.
var ErrStale = api.Errorf(api.Conflict, "The category was changed by somebody else at the same time, please try again")

// SlugTaken is the code of the error when another category of the portal has the slug in this locale.
const SlugTaken api.Code = "slug_taken"

// The rules that the table decides.
var (
	// Chatwoot's sentence: clients may compare the whole message.
	errSlugTaken   = invalid("Locale should be unique in the category and portal", "locale", "slug").WithCode(SlugTaken)
	errOwnAncestor = invalid("Parent category can't be one of the category's own sub-categories", "parent_category_id")
	errTooDeep     = invalid(
		fmt.Sprintf("Parent category is nested too deeply (maximum is %d levels)", MaxAncestors), "parent_category_id")
	// A target was deleted between the check of the rules and the write.
	errNoParent  = invalid("Parent category must exist", "parent_category_id")
	errNoRoot    = invalid("Associated category must exist", "associated_category_id")
	errNoRelated = invalid("Related categories must exist", "related_category_ids")
)

func invalid(message string, attributes ...string) *api.Error {
	return &api.Error{Kind: api.Invalid, Message: message, Attributes: attributes}
}
