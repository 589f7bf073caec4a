package changeset

import (
	"context"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxAncestors is how many categories may be above one that moves; one that is created may be deeper.
const MaxAncestors = 50

// TreeVersion is how often a category of the portal was given a new parent, by what was read of the key
// [table.Portal.Tree].
func TreeVersion(p table.Portal, items table.Items) (int64, error) {
	var tree struct {
		Version int64 `dynamo:"version"`
	}
	_, err := items.Get(p.Tree(), &tree)
	return tree.Version, err
}

// checkAncestors refuses a new parent that the category itself is above. What it reads stays true until the
// transaction, which raises the tree's version: that was read before, and every other new parent raises it as well.
func (cs *ChangeSet) checkAncestors(ctx context.Context, category, parent id.ID) error {
	for above := 1; parent != 0; above++ {
		if parent == category {
			return errOwnAncestor
		}
		if above > MaxAncestors {
			return errTooDeep
		}
		items, err := cs.table.Read(ctx, cs.portal.Category(parent))
		if err != nil {
			return err
		}
		var r Record
		found, err := items.Get(cs.portal.Category(parent), &r)
		if err != nil {
			return err
		}
		if !found {
			return ErrStale // it was deleted since the check of the rules
		}
		parent = r.Parent
	}
	return nil
}

// raiseTree raises the version of the tree from what was read.
func (cs *ChangeSet) raiseTree(version int64) {
	u := cs.table.UpdateItem(cs.portal.Tree()).Add("version", 1)
	if version == 0 {
		u.If("attribute_not_exists(PK)")
	} else {
		u.If("version = ?", version)
	}
	cs.tx.Update(u, ErrStale)
}
