package changeset

import (
	"context"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxAncestors is how many categories may be above one that moves; one that is created may be deeper.
const MaxAncestors = 50

// TreeVersion is the version of a portal's tree among items that were read with the key [table.Portal.Tree]. It counts
// the moves of categories: 0 before the first.
func TreeVersion(p table.Portal, items table.Items) (int64, error) {
	var tree struct {
		Version int64 `dynamo:"version"`
	}
	_, err := items.Get(p.Tree(), &tree)
	return tree.Version, err
}

// checkAncestors refuses a new parent that the category itself is above. The ancestors that it reads stay as they are
// until the transaction: that is on condition that the tree still has the version that was read before them, and every
// new parent raises the version.
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

// raiseTree raises the version of the tree, on condition that it is the one that was read.
func (cs *ChangeSet) raiseTree(version int64) {
	u := cs.table.UpdateItem(cs.portal.Tree()).Add("version", 1)
	if version == 0 {
		u.If("attribute_not_exists(PK)")
	} else {
		u.If("version = ?", version)
	}
	cs.tx.Update(u, ErrStale)
}
