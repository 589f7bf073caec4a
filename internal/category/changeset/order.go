package changeset

import (
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Order is a category's place in the list of its locale. It has no more than its key says. So it is written only when a
// category is created or deleted, or gets another position or locale; links to the category never write it.
type Order struct {
	table.Key
	Category id.ID  `dynamo:"category"`
	Position *int64 `dynamo:"position"`
}

// NewOrder returns the place of a category.
func NewOrder(p table.Portal, c Category) Order {
	return Order{p.Order(c.Locale, c.Position, c.ID), c.ID, c.Position}
}

// putOrder and removeOrder need no condition. A category's places have its id in their key, and whoever writes them
// also writes its record in the same transaction.
func (cs *ChangeSet) putOrder(c Category) { cs.tx.Put(cs.table.Put(NewOrder(cs.portal, c)), nil) }

func (cs *ChangeSet) removeOrder(c Category) {
	cs.tx.Delete(cs.table.DeleteItem(NewOrder(cs.portal, c).Key), nil)
}

// moveOrder replaces the place of a category when its position or locale changes.
func (cs *ChangeSet) moveOrder(before, after Category) {
	if NewOrder(cs.portal, before).Key != NewOrder(cs.portal, after).Key {
		cs.removeOrder(before)
		cs.putOrder(after)
	}
}

// removeLeft removes the place that a category has left, unless the category now returns to it (after). u is the update
// of the record, or nil when the record is deleted.
func (cs *ChangeSet) removeLeft(read Record, u *dynamo.Update, after Order) {
	if read.Left == "" {
		return
	}
	if u != nil {
		u.Remove("left_place")
	}
	if read.Left != after.SK {
		cs.tx.Delete(cs.table.DeleteItem(table.Key{PK: read.PK, SK: read.Left}), nil)
	}
}
