package changeset

import (
	"context"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/tree"
)

// MaxAncestors is how many categories may be above one that moves. It bounds the reads and the conditions of a move. A
// new category may be deeper, because creating it needs neither.
const MaxAncestors = 50

// requireLine adds the condition that the whole line above the new parent of a category stays as it is. It refuses a
// line that has the category, or that is too long. items were read before; other categories are read one by one.
func (cs *ChangeSet) requireLine(ctx context.Context, category, parent id.ID, items table.Items) error {
	read, refused, err := climb(category, parent, func(above id.ID) (tree.Category, bool, error) {
		return cs.find(ctx, above, items)
	})
	line, _ := read.Line(parent)
	switch {
	case err != nil:
		return err
	case refused != nil:
		return cs.confirm(ctx, read, line, refused)
	}
	for _, above := range line {
		c, _ := read.Get(above)
		cs.conditionOn(above).parent = &c.Parent
	}
	return nil
}

// climb reads the line above the new parent of a category, one by one. It returns what it has read, and why the parent
// is refused. Where a category is gone, the line ends below it for good: no id comes back.
func climb(
	category, parent id.ID, find func(id.ID) (c tree.Category, found bool, err error),
) (read tree.Tree, refused, err error) {
	for {
		line, next := read.Line(parent)
		switch {
		case slices.Contains(line, category):
			return read, errOwnAncestor, nil
		case len(line) > MaxAncestors:
			return read, errTooDeep, nil
		case next == 0:
			return read, nil, nil
		}
		above, found, err := find(next)
		if err != nil || !found {
			return read, nil, err
		}
		read.Put(above)
	}
}

// find returns a category from the items, or reads it.
func (cs *ChangeSet) find(
	ctx context.Context, category id.ID, items table.Items,
) (c tree.Category, found bool, err error) {
	var r Record
	key := cs.portal.Category(category)
	if items[key] == nil {
		items, err = cs.table.Read(ctx, key)
	}
	if err == nil {
		found, err = items.Get(key, &r)
	}
	return r.Category, found, err
}

// confirm returns why a move is refused, once one moment shows the same line. The walk read its categories one after
// the other while others moved, so the line may never have existed. A transaction of conditions alone compares all of
// them at one moment. Where that differs, confirm returns [ErrStale].
func (cs *ChangeSet) confirm(ctx context.Context, read tree.Tree, line []id.ID, refused error) error {
	tx := cs.table.Tx()
	for _, category := range line {
		c, _ := read.Get(category)
		held := condition{category: category, parent: &c.Parent}
		tx.Check(cs.check(held), table.Final(ErrStale)) // nothing is written
	}
	if err := tx.Run(ctx); err != nil {
		return err
	}
	return refused
}
