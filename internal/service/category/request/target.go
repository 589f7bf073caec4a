package request

import (
	"errors"
	"strconv"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
)

// DecodeTarget decodes the id of the category that a path names. It returns 0, the id of no category, for an integer
// that cannot be an id: that is a 404, while other text is a 400.
func DecodeTarget(r *api.Request) (id.ID, error) {
	text := r.PathParameters["category_id"]
	if category, ok := id.Parse(text); ok {
		return category, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, api.Errorf(api.Malformed, "category_id must be an integer")
	}
	return 0, nil
}
