package category

import (
	"context"
	"fmt"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// climb goes up from a category's new parent, and refuses it where the category itself is above. What it
// finds stays true until the transaction, which raises the tree's version: that was read before, and every
// other new parent raises it as well.
func (s *Service) climb(ctx context.Context, p table.Portal, category, parent id.ID) error {
	for above := 1; parent != 0; above++ {
		if parent == category {
			return invalid("Parent category can't be one of the category's own sub-categories", "parent_category_id")
		}
		if above > MaxAncestors {
			return invalid(fmt.Sprintf("Parent category is nested too deeply (maximum is %d levels)", MaxAncestors), "parent_category_id")
		}
		items, err := s.Table.Read(ctx, p.Category(parent))
		if err != nil {
			return err
		}
		var r record
		found, err := items.Get(p.Category(parent), &r)
		if err != nil {
			return err
		}
		if !found {
			return errStale // it was deleted on the way up
		}
		parent = r.Parent
	}
	return nil
}

// growTree raises the version of the tree from what the scene's items say that it was.
func (e *edit) growTree(items table.Items) (*dynamo.Update, error) {
	var seen tree
	k := e.portal.Tree()
	u := e.table.Update("PK", k.PK).Range("SK", k.SK).Add("version", 1)
	found, err := items.Get(k, &seen)
	if !found {
		return u.If("attribute_not_exists(PK)"), err
	}
	return u.If("version = ?", seen.Version), err
}
